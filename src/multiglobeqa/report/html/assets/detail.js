// A text line by line, each in its own direction. (In one element with `unicode-bidi: plaintext` Chromium mirrors the brackets
// of a JSON line that follows an Arabic one.)
const lines = (text, language) => el("div", { class: "raw", lang: tag(language), tabindex: "0" },
  ...text.split(/\r?\n/).map((line) => el("div", { dir: "auto" }, line || el("br"))));

// One item in full: the question, the gold answer, every pass's reply, the map, the facts.

class Detail {
  constructor(box, data, go) {
    Object.assign(this, { box, data, go, turn: 0 });
  }

  async show(place, focus) {
    const turn = ++this.turn;
    const { core, settings, texts } = this.data;
    const size = settings.blocks.detail;
    const [entry, text] = await Promise.all([json(`detail.${Math.floor(place / size)}`).then((block) => block[place % size]), texts.at(place)]);
    if (turn !== this.turn) return; // another item was chosen meanwhile
    const value = (column) => core.head.values[column][core.columns[column][place]];
    const named = (column) => settings.labels[column]?.[value(column)] || value(column) || "none stated";
    const language = value("language");
    const map = el("div");
    this.box.replaceChildren(
      this.top(place),
      el("h3", {}, `${value("subtemplate")} · ${named("family").replace(/^\S+ /, "")}`),
      el("p", { class: "question", dir: "auto", lang: tag(language) }, text.question),
      text.english ? el("p", { class: "note", dir: "auto", lang: "en" }, text.english) : "",
      entry.hint ? el("p", { class: "note", dir: "auto" }, entry.hint) : "",
      this.facts(entry, place, text.id, named),
      this.gold(entry, language, core.columns.premise[place]),
      ...core.head.passes.map((pass, at) => this.reply(pass, at, entry.passes?.[at], place, language)),
      map,
      await this.triples(entry),
    );
    if (turn !== this.turn) return;
    this.box.scrollTop = 0;
    if (focus) this.box.focus({ preventScroll: true });
    await this.map(map, entry, place, turn);
  }

  top(place) {
    const button = (label, step, css) => el("button", { type: "button", class: css, onclick: () => this.go(step, place) }, label);
    return el("div", { class: "bar-top" }, button("← Back to the list", 0, "back"), el("span", {}, button("Previous", -1), " ", button("Next", 1)));
  }

  facts(entry, place, id, named) {
    const rows = [
      ["Id", el("code", {}, id)], ["Language", named("language")], ["Format", named("format")], ["Country", named("country")],
      ["Stratum", `${named("income")}, density ${named("density")}`], ["KG", named("kg")],
      entry.image ? ["Picture", el("bdi", {}, entry.image)] : null,
      entry.derived ? ["Made of", el("code", {}, entry.derived)] : null,
      ["Entities", (entry.roles || []).flatMap(([role, name], at) => [at ? "; " : "", `${role} `, el("bdi", {}, name)])],
    ].filter((row) => row && row[1].length !== 0);
    return el("dl", { class: "pairs note" }, ...rows.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
  }

  gold(entry, language, premise) {
    if (!premise) return el("p", {}, el("strong", {}, "Gold: "), `no answer; the premise fails${entry.failure ? `: ${entry.failure}` : ""}. The right reply is to decline.`);
    const more = (entry.accepted || []).flatMap((one) => [" or ", el("bdi", {}, one)]);
    return el("p", {}, el("strong", {}, "Gold: "), el("bdi", { lang: tag(language) }, entry.gold), more);
  }

  reply(pass, at, given, place, language) {
    const { core, settings, outcomes } = this.data;
    const outcome = outcomes[at][place];
    const [name, , css] = OUTCOMES[outcome];
    if (outcome === NOT_ASKED) return el("p", { class: "note" }, el("bdi", {}, pass.label), ": not asked.");
    const row = given || {};
    const status = core.head.statuses[core.columns[`status${at}`][place]];
    const sure = pass.confidence ? core.columns[`confidence${at}`][place] : NaN;
    const slip = core.columns[`diagnosis${at}`][place];
    const told = [
      ["Answer", row.parsed === undefined ? null : el("bdi", { lang: tag(language) }, row.parsed)],
      ["Status", status === "answered" ? null : status],
      ["Error", row.error ? `${row.error}; NE = ${core.columns[`ne${at}`][place].toFixed(3)}` : null],
      ["Diagnosis", slip ? row.why || settings.diagnoses[core.head.diagnoses[slip]] : null],
      ["Reason", row.reason ? el("bdi", {}, row.reason) : null],
      ["Read by", row.rule || null],
      ["Confidence", Number.isNaN(sure) ? null : sure.toFixed(2)],
      ["Cost", row.amounts ? row.amounts.map(([what, amount]) => `${what} ${Number(amount.toPrecision(4)).toLocaleString("en-US")}`).join(", ") : null],
    ].filter(([, value]) => value !== null && value !== undefined);
    const quote = (title, text, open) => text === undefined ? "" : el("details", { open }, el("summary", {}, title), lines(text, language));
    return el("section", { class: `reply ${css}`, "aria-label": pass.label },
      el("h4", {}, el("bdi", {}, pass.label), el("span", { class: `mark ${css}` }, `${OUTCOMES[outcome][1]} ${name}`)),
      el("dl", { class: "pairs" }, ...told.map(([key, value]) => el("div", {}, el("dt", {}, key), el("dd", {}, value)))),
      quote("Raw reply", row.reply, (row.reply || "").length < 400),
      quote("Prompt", row.prompt, false),
    );
  }

  async triples(entry) {
    if (!entry.facts) return "";
    const size = this.data.settings.blocks.fact;
    const title = entry.facts.length < entry.n_facts ? `Facts: ${entry.facts.length} of ${count(entry.n_facts)}` : `Facts: ${entry.n_facts}`;
    const list = el("ol", { class: "triples" });
    const box = el("details", {}, el("summary", {}, title), list);
    box.addEventListener("toggle", async () => {
      if (!box.open || list.childElementCount) return;
      const lines = await Promise.all(entry.facts.map((number) => json(`fact.${Math.floor(number / size)}`).then((block) => block[number % size])));
      list.replaceChildren(...lines.map((line) => el("li", {}, el("code", { dir: "ltr" }, line))));
    });
    return box;
  }

  async map(box, entry, place, turn) {
    const size = this.data.settings.blocks.shape;
    const { core, outcomes } = this.data;
    const shapes = [];
    for (const [number, role, name, gold, fix] of entry.shapes || []) {
      const block = await json(`shape.${Math.floor(number / size)}`);
      const named = role ? `${role} ${name}` : name;
      shapes.push({
        drawn: block[number % size], kind: gold ? "gold" : "entity", label: fix ? "" : named, thin: fix || (!role && !gold),
      });
    }
    shapes.sort((a, b) => b.drawn[0] - a.drawn[0] || Number(b.thin) - Number(a.thin)); // surfaces lowest
    if (entry.gold_shape) shapes.push({ drawn: entry.gold_shape, kind: "gold", label: "gold" });
    core.head.passes.forEach((pass, at) => {
      const shape = entry.passes?.[at]?.shape;
      if (shape) shapes.push({ drawn: shape, kind: "guess", css: OUTCOMES[outcomes[at][place]][2], label: pass.label });
    });
    const drawn = await miniMap(shapes, box.clientWidth);
    if (!drawn || turn !== this.turn) return;
    const guesses = shapes.some((shape) => shape.kind === "guess");
    box.replaceChildren(
      el("h4", {}, "Map"), drawn.root,
      el("p", { class: "note" }, "Black: entities of the question; green: gold",
        guesses ? "; dashed or a cross: answers (blue right, orange wrong)" : "", ". Outlines are thinned for drawing",
        drawn.coast ? "; borders may be off by 6 km." : "; borders are left out at this scale."),
    );
  }
}
