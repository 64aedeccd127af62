// The world map: countries by accuracy, or single questions; zoom, pointer and keyboard.

const TURN = 100; // single questions drawn of one outcome before the next

class WorldMap {
  constructor(data, atlas, toPlaces) {
    Object.assign(this, { data, atlas, toPlaces });
    this.box = $("world");
    this.svg = this.box.querySelector("svg");
    this.canvas = $("dots");
    this.size = [Number(this.svg.dataset.width), Number(this.svg.dataset.height)];
    this.view = [0, 0, ...this.size];
    this.countries = [...this.svg.querySelectorAll("path.country[data-iso]")];
    this.small = new Map([...this.svg.querySelectorAll("circle.small")].map((one) => [one.dataset.of, one]));
    this.shown = new Set([RIGHT, WRONG, REFUSED, UNREADABLE, NO_REPLY]);
    this.listen();
    $("map-controls").hidden = false;
    this.colour();
  }

  get pointsShown() {
    return document.querySelector('input[name="map-show"]:checked')?.value === "points";
  }

  listen() {
    const controls = $("map-controls");
    controls.addEventListener("change", () => this.colour());
    controls.addEventListener("submit", (event) => event.preventDefault());
    controls.addEventListener("click", (event) => this.zoom(event.target.dataset.zoom));
    const outcomes = $("map-outcomes");
    for (const code of outcomes ? this.shown : []) {
      const check = el("input", { type: "checkbox", checked: true, value: code });
      check.addEventListener("change", () => (check.checked ? this.shown.add(code) : this.shown.delete(code)));
      outcomes.append(el("label", {}, check, " ", mark(code), ` ${OUTCOMES[code][0]}`));
    }
    for (const one of this.countries) one.setAttribute("tabindex", "-1");
    this.countries[0]?.setAttribute("tabindex", "0");
    this.svg.addEventListener("pointermove", (event) => this.point(event));
    this.svg.addEventListener("pointerleave", () => this.hide());
    this.svg.addEventListener("click", (event) => this.click(event));
    this.svg.addEventListener("focusin", (event) => this.focused(event.target));
    this.svg.addEventListener("focusout", () => this.hide());
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("pointerdown", (event) => this.drag(event));
    new ResizeObserver(() => this.draw()).observe(this.box);
  }

  condition() {
    return $("map-condition")?.value;
  }

  rows() {
    return this.atlas.conditions[this.condition()] || {};
  }

  colour() {
    const points = this.pointsShown, least = this.data.settings.least;
    this.svg.classList.toggle("points", points);
    this.canvas.hidden = !points;
    for (const one of document.querySelectorAll(".only-points")) one.hidden = !points;
    const rows = this.rows(), most = Math.max(1, ...Object.values(this.atlas.questions));
    for (const country of this.countries) {
      const iso = country.dataset.iso;
      let css = "";
      if (this.condition() === undefined) {
        const n = this.atlas.questions[iso];
        if (n) css = `s${step(Math.log1p(n) / Math.log1p(most))}`;
      } else if (rows[iso]) css = rows[iso][0] < least ? "few" : `s${step(rows[iso][1])}`;
      country.setAttribute("class", `country ${css}`);
      this.small.get(iso)?.setAttribute("class", `country small ${css}`);
    }
    this.key_(points, most);
    this.draw();
  }

  key_(points, most) {
    const entry = (css, text) => el("li", {}, el("span", { class: `swatch ${css}` }), text);
    let entries;
    if (points) entries = [...this.shown].map((code) => el("li", {}, mark(code), OUTCOMES[code][0]));
    else if (this.condition() === undefined) {
      const bound = (at) => Math.round(Math.expm1((at / 5) * Math.log1p(most)));
      entries = [0, 1, 2, 3, 4].map((at) => entry(`s${at}`, `${Math.max(1, bound(at) + (at ? 1 : 0))} to ${bound(at + 1)}`)).concat(entry("none", "no question"));
    } else {
      entries = ["below 20 %", "20 to 40 %", "40 to 60 %", "60 to 80 %", "80 % and more"].map((text, at) => entry(`s${at}`, text));
      entries.push(entry("few", `fewer than ${this.data.settings.least} replies`), entry("none", "no question"));
    }
    $("map-key").replaceChildren(...entries);
  }

  // What a country's element says.
  words(country) {
    const iso = country.dataset.iso, n = this.atlas.questions[iso] || 0;
    if (this.condition() === undefined) return [country.dataset.name, n ? `${count(n)} questions` : "no question"];
    const row = this.rows()[iso];
    if (!row) return [country.dataset.name, "no reply"];
    const [items, em, low, high] = row;
    if (items < this.data.settings.least) return [country.dataset.name, `${items} ${items === 1 ? "reply" : "replies"}: too few`];
    const span = low === null ? "no interval" : `95 % interval ${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)}`;
    return [country.dataset.name, `EM ${percent(em)}, ${span}; n ${count(items)}`];
  }

  countryOf(target) {
    const iso = target?.dataset?.iso || target?.dataset?.of;
    return iso ? this.countries.find((one) => one.dataset.iso === iso) : null;
  }

  // A country that has the focus is brought into view.
  focused(target) {
    const country = this.countryOf(target);
    if (!country) return;
    const [x, y] = [Number(country.dataset.x), Number(country.dataset.y)], [left, top, width, height] = this.view;
    if (x < left || y < top || x > left + width || y > top + height) this.look(x - width / 2, y - height / 2, width);
    this.tell(country);
  }

  tell(target, x, y) {
    const country = this.countryOf(target);
    if (!country) return this.hide();
    this.countries.forEach((one) => one.classList.toggle("chosen", one === country));
    const [name, text] = this.words(country);
    this.tip([el("strong", {}, name), text], x ?? this.toBox(Number(country.dataset.x), 0), y ?? this.toBox(Number(country.dataset.y), 1));
  }

  tip(children, x, y) {
    const tip = $("tip");
    tip.replaceChildren(...children);
    tip.hidden = false;
    const width = this.box.clientWidth, height = this.box.clientHeight;
    tip.style.left = `${Math.max(4, Math.min(x + 12, width - tip.offsetWidth - 4))}px`;
    tip.style.top = `${y + 16 + tip.offsetHeight > height ? Math.max(4, y - tip.offsetHeight - 10) : y + 16}px`;
  }

  hide() {
    $("tip").hidden = true;
    this.countries.forEach((one) => one.classList.remove("chosen"));
  }

  // Map units to CSS pixels of the box, and back.
  toBox(value, axis) {
    return ((value - this.view[axis]) / this.view[2 + axis]) * (axis ? this.box.clientHeight : this.box.clientWidth);
  }

  toMap(pixel, axis) {
    return this.view[axis] + (pixel / (axis ? this.box.clientHeight : this.box.clientWidth)) * this.view[2 + axis];
  }

  place(event) {
    const box = this.box.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  point(event) {
    const [x, y] = this.place(event);
    if (!this.pointsShown) return this.tell(event.target, x, y);
    const near = this.near(x, y);
    this.box.style.cursor = near.length ? "pointer" : "";
    if (!near.length) return this.hide();
    const tally = new Map();
    const outcomes = this.data.outcomes[this.pass()];
    for (const i of near) tally.set(outcomes[i], (tally.get(outcomes[i]) || 0) + 1);
    const lines = [...tally].sort((a, b) => a[0] - b[0]).map(([code, n]) => el("div", {}, mark(code), ` ${OUTCOMES[code][0]}: ${count(n)}`));
    return this.tip([el("strong", {}, `${count(near.length)} ${near.length === 1 ? "question" : "questions"} here`), ...lines], x, y);
  }

  click(event) {
    if (this.moved) return;
    const [x, y] = this.place(event);
    if (!this.pointsShown) return this.tell(event.target, x, y);
    const near = this.near(x, y);
    if (near.length) this.toPlaces(near);
  }

  key(event) {
    const order = this.countries, at = order.indexOf(event.target);
    if (at < 0) return;
    const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    let next = null;
    if (event.key in moves) next = order[(at + moves[event.key] + order.length) % order.length];
    else if (event.key === "Home") [next] = order;
    else if (event.key === "End") next = order[order.length - 1];
    else if (event.key === "Enter") location.hash = `#questions/country=${event.target.dataset.iso}`;
    else if (event.key === "Escape") this.hide();
    else return;
    event.preventDefault();
    if (!next) return;
    event.target.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus({ preventScroll: true });
  }

  zoom(kind, x = this.view[0] + this.view[2] / 2, y = this.view[1] + this.view[3] / 2) {
    if (!kind) return;
    const factor = { in: 0.5, out: 2 }[kind];
    const width = factor ? Math.min(this.size[0], Math.max(this.size[0] / 64, this.view[2] * factor)) : this.size[0];
    this.look(x - width / 2, y - (width * this.size[1]) / this.size[0] / 2, width);
  }

  look(x, y, width) {
    const height = (width * this.size[1]) / this.size[0];
    this.view = [Math.max(0, Math.min(this.size[0] - width, x)), Math.max(0, Math.min(this.size[1] - height, y)), width, height];
    this.svg.setAttribute("viewBox", this.view.join(" "));
    for (const one of this.small.values()) one.setAttribute("r", (6 * width) / this.size[0]);
    this.box.classList.toggle("near", width < this.size[0]);
    this.hide();
    this.draw();
  }

  drag(event) {
    this.moved = false;
    if (this.view[2] >= this.size[0]) return;
    const start = this.place(event), [x, y, width] = this.view;
    const move = (next) => {
      const now = this.place(next);
      const by = [now[0] - start[0], now[1] - start[1]];
      if (Math.hypot(...by) > 4) this.moved = true;
      if (this.moved) this.look(x - (by[0] / this.box.clientWidth) * width, y - (by[1] / this.box.clientWidth) * width, width);
    };
    const stop = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", stop);
      removeEventListener("pointercancel", stop);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", stop);
    addEventListener("pointercancel", stop);
  }

  pass() {
    return Number($("map-pass")?.value || 0);
  }

  // The items that the map of questions shows.
  items() {
    const { core, outcomes } = this.data, family = $("map-family")?.value;
    const code = family ? core.head.values.family.indexOf(family) : -1;
    const mine = outcomes[this.pass()], found = [];
    for (let i = 0; i < core.head.size; i++) {
      if (core.columns.x[i] === this.data.settings.no_site || !core.columns.premise[i]) continue;
      if (!this.shown.has(mine[i]) || (code >= 0 && core.columns.family[i] !== code)) continue;
      found.push(i);
    }
    return found;
  }

  near(x, y) {
    const { x: xs, y: ys } = this.data.core.columns, units = this.data.settings.sub_units;
    const [cx, cy] = [this.toMap(x, 0) * units, this.toMap(y, 1) * units];
    const reach = (7 / this.box.clientWidth) * this.view[2] * units;
    return (this.drawn || []).filter((i) => Math.abs(xs[i] - cx) < reach && Math.abs(ys[i] - cy) < reach);
  }

  draw() {
    if (!this.pointsShown || !this.box.clientWidth) return;
    const { canvas } = this, ratio = devicePixelRatio || 1;
    canvas.width = Math.round(this.box.clientWidth * ratio);
    canvas.height = Math.round(this.box.clientHeight * ratio);
    const pen = canvas.getContext("2d");
    const { x, y } = this.data.core.columns, units = this.data.settings.sub_units, mine = this.data.outcomes[this.pass()];
    const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    const sx = canvas.width / this.view[2], sy = canvas.height / this.view[3];
    const r = 3.2 * ratio * Math.min(1, Math.max(0.5, this.box.clientWidth / 900));
    this.drawn = this.items();
    pen.lineWidth = r / 2;
    const codes = [UNREADABLE, NO_REPLY, RIGHT, REFUSED, WRONG], colours = codes.map((code) => colour(`--${OUTCOMES[code][2]}`));
    const seen = codes.map(() => new Set());
    // By turns, so that no outcome lies on top everywhere.
    for (let from = 0; from < this.drawn.length; from += TURN) {
      const part = this.drawn.slice(from, from + TURN);
      codes.forEach((code, which) => {
        pen.strokeStyle = pen.fillStyle = colours[which];
        pen.beginPath();
        for (const i of part) {
          if (mine[i] !== code) continue;
          const px = Math.round((x[i] / units - this.view[0]) * sx), py = Math.round((y[i] / units - this.view[1]) * sy);
          const key = py * 65536 + px;
          if (seen[which].has(key) || px < -9 || py < -9 || px > canvas.width + 9 || py > canvas.height + 9) continue;
          seen[which].add(key);
          trace(pen, code, px, py, r);
        }
        if (code === RIGHT) pen.fill();
        else pen.stroke();
      });
    }
  }
}

// The mark of an outcome: a disc, a cross, a ring, a small square.
function trace(pen, code, x, y, r) {
  if (code === WRONG) {
    pen.moveTo(x - r, y - r); pen.lineTo(x + r, y + r);
    pen.moveTo(x + r, y - r); pen.lineTo(x - r, y + r);
  } else if (code === UNREADABLE || code === NO_REPLY) {
    pen.rect(x - r / 2, y - r / 2, r, r);
  } else {
    pen.moveTo(x + r, y);
    pen.arc(x, y, r, 0, 2 * Math.PI);
  }
}
