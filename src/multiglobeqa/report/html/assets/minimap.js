// A small map of one question: entities, gold and answers, over the outlines of the countries.

const MINI = { width: 640, height: 400, pad: 46, coarse: 0.5 }; // size in CSS pixels, set for each map; coarse in degrees

// The rings of the land, each with its box; made once.
let rings;
async function landRings() {
  if (rings) return rings;
  const { head, columns } = await frame("land");
  const { start } = columns;
  const lon = new Float32Array(columns.lon.length), lat = new Float32Array(lon.length);
  for (let i = 0, x = 0, y = 0; i < lon.length; i++) {
    lon[i] = (x += columns.lon[i]) / head.units;
    lat[i] = (y += columns.lat[i]) / head.units;
  }
  rings = [];
  for (let r = 0; r + 1 < start.length; r++) {
    const from = start[r], to = start[r + 1];
    let west = 999, east = -999, south = 99, north = -99;
    for (let i = from; i < to; i++) {
      west = Math.min(west, lon[i]); east = Math.max(east, lon[i]);
      south = Math.min(south, lat[i]); north = Math.max(north, lat[i]);
    }
    rings.push({ lon, lat, from, to, west, east, south, north });
  }
  return rings;
}

// A drawn geometry (see geometry.py) as { kind, parts: [[[lon, lat], ...], ...] }; each part starts within 180° of `near`.
function decoded(drawn, near) {
  const parts = drawn.slice(1).map((flat) => {
    const points = [];
    let x = 0, y = 0, turn = 0;
    for (let i = 0; i < flat.length; i += 2) {
      x += flat[i];
      y += flat[i + 1];
      if (i === 0 && near !== null) turn = 360 * Math.round((near - x / 1e5) / 360);
      points.push([x / 1e5 + turn, y / 1e5]);
    }
    return points;
  });
  return { kind: drawn[0], parts };
}

// The part of a ring inside a rectangle (Sutherland and Hodgman).
function clipped(points, x0, y0, x1, y1) {
  const sides = [[0, x0, 1], [0, x1, -1], [1, y0, 1], [1, y1, -1]];
  for (const [axis, bound, sign] of sides) {
    const kept = [];
    for (let i = 0; i < points.length; i++) {
      const a = points[i], b = points[(i + 1) % points.length];
      const inA = sign * (a[axis] - bound) >= 0, inB = sign * (b[axis] - bound) >= 0;
      if (inA) kept.push(a);
      if (inA !== inB) {
        const t = (bound - a[axis]) / (b[axis] - a[axis]);
        kept.push([a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])]);
      }
    }
    points = kept;
    if (!points.length) break;
  }
  return points;
}

const inWords = (km) => (km < 1 ? `${Math.round(1000 * km)} m` : `${km >= 10 ? Math.round(km).toLocaleString("en-US") : km} km`);

// shapes: [{ drawn, kind: "entity" | "gold" | "guess", css, label, thin }]. Returns an SVG, or null without shapes.
async function miniMap(shapes, room) {
  MINI.width = Math.max(280, Math.min(760, Math.round(room)));
  MINI.height = Math.round(MINI.width * 0.64);
  const given = shapes.filter((shape) => shape.drawn && shape.drawn.length > 1 && shape.drawn[1].length);
  if (!given.length) return null;
  const anchor = given[0].drawn[1][0] / 1e5;
  const read = given.map((shape) => ({ ...shape, ...asParts(decoded(shape.drawn, anchor)) }));
  let west = Infinity, east = -Infinity, south = Infinity, north = -Infinity;
  for (const shape of read) {
    for (const part of shape.parts) {
      for (const [x, y] of part) {
        west = Math.min(west, x); east = Math.max(east, x);
        south = Math.min(south, y); north = Math.max(north, y);
      }
    }
  }
  const middle = [(west + east) / 2, (south + north) / 2];
  const squeeze = Math.max(0.05, Math.cos((middle[1] * Math.PI) / 180));
  const least = 0.004; // degrees of latitude: about 450 m
  const wide = Math.max((east - west) * squeeze, least), high = Math.max(north - south, least);
  const scale = Math.min((MINI.width - 2 * MINI.pad) / wide, (MINI.height - 2 * MINI.pad) / high);
  const X = (lon) => MINI.width / 2 + (lon - middle[0]) * squeeze * scale;
  const Y = (lat) => MINI.height / 2 - (lat - middle[1]) * scale;
  const across = MINI.width / scale; // degrees of latitude
  const root = svg("svg", { class: across > MINI.coarse ? "mini" : "mini local", viewBox: `0 0 ${MINI.width} ${MINI.height}`, role: "img", "aria-label": describe(given) });
  const coast = across > MINI.coarse;
  if (coast) root.append(svg("path", { class: "land", d: await landPath(middle, X, Y, across / squeeze, MINI.height / scale) }));
  const labels = [];
  for (const shape of read) root.append(...figure(shape, X, Y, labels));
  root.append(...placed(labels), ...scaleBar(scale));
  return { root, coast };
}

function asParts({ kind, parts }) {
  return { dimension: kind, parts };
}

const describe = (shapes) => `Map: ${shapes.map((shape) => shape.label).filter(Boolean).join("; ")}`;

async function landPath(middle, X, Y, wide, high) {
  const [x0, x1] = [middle[0] - wide / 2, middle[0] + wide / 2], [y0, y1] = [middle[1] - high / 2, middle[1] + high / 2];
  let path = "";
  for (const ring of await landRings()) {
    if (ring.north < y0 || ring.south > y1) continue;
    for (const turn of [-360, 0, 360]) {
      if (ring.east + turn < x0 || ring.west + turn > x1) continue;
      let points = [];
      for (let i = ring.from; i < ring.to; i++) points.push([ring.lon[i] + turn, ring.lat[i]]);
      points = clipped(points, x0 - wide * 0.02, y0 - high * 0.02, x1 + wide * 0.02, y1 + high * 0.02);
      if (points.length > 2) path += `M${points.map(([x, y]) => `${X(x).toFixed(1)} ${Y(y).toFixed(1)}`).join("L")}Z`;
    }
  }
  return path;
}

function figure(shape, X, Y, labels) {
  const css = `${shape.kind} ${shape.css || ""} ${shape.thin ? "thin" : ""}`;
  const nodes = [];
  let first;
  if (shape.dimension === 0) {
    for (const [[lon, lat]] of shape.parts) {
      const [x, y] = [X(lon), Y(lat)];
      first = first || [x, y];
      nodes.push(
        shape.kind === "guess"
          ? svg("path", { class: `dot ${css}`, d: `M${x - 6} ${y - 6}l12 12m0 -12l-12 12` })
          : svg("circle", { class: `dot ${css}`, cx: x, cy: y, r: shape.thin ? 2.5 : shape.kind === "gold" ? 7 : 5 }),
      );
    }
  } else {
    const close = shape.dimension === 2 ? "Z" : "";
    const d = shape.parts.map((part) => `M${part.map(([x, y]) => `${X(x).toFixed(1)} ${Y(y).toFixed(1)}`).join("L")}${close}`).join("");
    nodes.push(svg("path", { class: `shape ${close ? "area" : ""} ${css}`, d }));
    const xs = shape.parts.flat().map(([lon]) => X(lon)), ys = shape.parts.flat().map(([, lat]) => Y(lat));
    const tiny = Math.max(...xs) - Math.min(...xs) < 8 && Math.max(...ys) - Math.min(...ys) < 8;
    const part = shape.parts[0];
    const [lon, lat] = close ? mid(part) : part[part.length - 1];
    first = [X(lon), Y(lat)];
    if (tiny || (!close && shape.kind !== "entity")) nodes.push(svg("circle", { class: `dot ${css}`, cx: first[0], cy: first[1], r: 5 }));
  }
  if (shape.label && !shape.thin) labels.push({ text: shape.label, x: first[0], y: first[1] });
  return nodes;
}

function mid(part) {
  let x = 0, y = 0;
  for (const [lon, lat] of part) { x += lon; y += lat; }
  return [x / part.length, y / part.length];
}

// Labels beside their places, moved down or up where they would cover one another.
function placed(labels) {
  const taken = [];
  return labels.slice(0, 12).map(({ text, x, y }) => {
    const shown = text.length > 34 ? `${text.slice(0, 33)}…` : text;
    const width = 7 * shown.length;
    const end = x + 10 + width > MINI.width - 4 && x > MINI.width / 2;
    const left = end ? x - 10 - width : Math.max(4, Math.min(MINI.width - width - 4, x + 10));
    let top = Math.max(16, Math.min(MINI.height - 30, y + 4));
    const hits = () => taken.some((box) => left < box[1] && left + width > box[0] && Math.abs(top - box[2]) < 15);
    for (let tries = 0; hits() && tries < 24; tries++) top = top > MINI.height - 36 ? 16 : top + 15;
    taken.push([left, left + width, top]);
    return svg("text", { x: end ? x - 10 : left, y: top, "text-anchor": end ? "end" : null }, shown);
  });
}

function scaleBar(scale) {
  const kmAcross = (140 / scale) * 111.2;
  const power = 10 ** Math.floor(Math.log10(kmAcross));
  const km = [5, 2, 1].map((digit) => digit * power).find((value) => value <= kmAcross) || power;
  const length = (km / 111.2) * scale;
  const y = MINI.height - 12;
  return [
    svg("path", { class: "scale", d: `M12 ${y - 5}v5h${length.toFixed(1)}v-5` }),
    svg("text", { x: 18 + length, y: y + 1 }, inWords(Number(km.toPrecision(2)))),
  ];
}
