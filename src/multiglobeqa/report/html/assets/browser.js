// The question browser: filters, the list, the item beside it.

const FIELD_NAMES = {
  family: "Family", subtemplate: "Sub-template", format: "Format", language: "Language", kg: "KG", country: "Country",
  continent: "Continent", subregion: "Subregion", income: "Income", density: "Density", question_type: "Question type",
  depth: "Depth", modality: "Modality", source: "Source",
};

const MAIN_FIELDS = new Set(["pass", "outcome", "family", "format", "country", "language"]);

// The texts of the questions, block by block.
class Texts {
  constructor(size, total) {
    Object.assign(this, { size, total, lower: new Array(total), ids: new Map(), ready: null });
  }

  async at(place) {
    const block = await json(`text.${Math.floor(place / this.size)}`);
    const at = place % this.size;
    return { id: block.id[at], question: block.question[at], english: block.english[at] };
  }

  // All texts in lower case, for the search; read in the background, a block at a time.
  all() {
    this.ready = this.ready || (async () => {
      for (let start = 0; start < this.total; start += this.size) {
        const block = await json(`text.${start / this.size}`);
        for (let at = 0; at < block.id.length; at++) {
          const english = block.english[at] ? `\n${block.english[at]}` : "";
          this.lower[start + at] = `${block.id[at]}\n${block.question[at]}${english}`.toLowerCase();
          if (!this.ids.has(block.id[at])) this.ids.set(block.id[at], []);
          this.ids.get(block.id[at]).push(start + at);
        }
        await new Promise((done) => setTimeout(done));
      }
    })();
    return this.ready;
  }
}

class Browser {
  constructor(data) {
    this.data = data;
    this.filter = { fields: {}, pass: 0, other: Math.min(1, Math.max(0, data.core.head.passes.length - 1)) };
    this.fields = {};
    this.detail = new Detail($("item"), data, (move, place) => this.move(move, place));
    this.list = new List($("list"), $("list-inner"), (entry, place) => this.paint(entry, place), (place, open) => this.open(place, open));
    this.build();
    $("search").addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => this.search(), 150);
    });
    $("filters").addEventListener("submit", (event) => event.preventDefault());
    $("browser").hidden = false;
    this.apply();
  }

  build() {
    const { core, settings } = this.data;
    const { passes, values, diagnoses } = core.head;
    const box = $("filter-fields");
    if (passes.length) {
      this.field("pass", "Run", passes.map((pass, at) => [at, pass.label]), false);
      this.field("outcome", "Outcome", OUTCOMES.map(([name, sign], code) => [code, `${sign} ${name}`]));
      this.field("status", "Status", core.head.statuses.map((name, code) => [code, name]));
      if (diagnoses.length > 1) {
        this.field("diagnosis", "Diagnosis", diagnoses.map((key, code) => [code, code ? settings.diagnoses[key] : "none"]));
      }
      if (passes.length > 1) {
        this.field("other", "Second run", passes.map((pass, at) => [at, pass.label]), false);
        this.field("otherOutcome", "Its outcome", OUTCOMES.map(([name, sign], code) => [code, `${sign} ${name}`]));
      }
    }
    this.field("premise", "Premise", [[1, "true"], [0, "false"]]);
    for (const column of settings.filters) {
      if (values[column].length < 2) continue;
      const options = values[column].map((value, code) => [code, settings.labels[column]?.[value] || value || "none stated"]);
      options.sort((a, b) => a[1].localeCompare(b[1], "en"));
      this.field(column, FIELD_NAMES[column], options);
    }
    box.append(el("button", { type: "button", onclick: () => this.clear() }, "Clear all filters"));
  }

  field(name, title, options, open = true) {
    const select = el("select", { id: `filter-${name}`, dir: "auto", onchange: () => this.set(name, select.value) },
      open ? el("option", { value: "" }, "all") : "", ...options.map(([value, label]) => el("option", { value }, label)));
    this.fields[name] = select;
    $(MAIN_FIELDS.has(name) ? "main-fields" : "filter-fields").append(el("label", {}, title, select));
  }

  set(name, value) {
    const code = value === "" ? undefined : Number(value);
    const target = this.data.settings.filters.includes(name) ? this.filter.fields : this.filter;
    if (code === undefined) delete target[name];
    else target[name] = code;
    this.apply();
  }

  clear() {
    this.filter = { fields: {}, pass: this.filter.pass, other: this.filter.other };
    $("search").value = "";
    this.apply();
  }

  async search() {
    const words = $("search").value.trim().toLowerCase();
    if (words) await this.data.texts.all();
    if (words !== $("search").value.trim().toLowerCase()) return;
    this.filter.words = words || undefined;
    this.apply();
  }

  apply() {
    const { core, outcomes, texts } = this.data;
    const { filter } = this;
    for (const [name, select] of Object.entries(this.fields)) {
      const value = name in filter ? filter[name] : filter.fields[name];
      select.value = value === undefined ? "" : String(value);
      select.classList.toggle("set", value !== undefined && !["pass", "other"].includes(name));
    }
    this.found = matching(core, outcomes, filter, texts.lower);
    const active = [...Object.keys(filter.fields), ...["premise", "outcome", "status", "diagnosis", "otherOutcome", "only"].filter((name) => filter[name] !== undefined)];
    $("active-filters").textContent = active.length ? `(${active.length} set)` : "";
    const of = filter.only ? ` at the chosen place` : "";
    $("found").textContent = `${count(this.found.length)} of ${count(core.head.size)} questions${of}`;
    $("found-scores").replaceChildren(el("div", { class: "tally" }, ...core.head.passes.slice(0, 8).map((pass, at) => {
      const { right, asked } = tally(core, outcomes[at], this.found);
      return el("span", {}, el("bdi", {}, pass.label), `: EM ${percent(asked ? right / asked : null)} (${count(right)} of ${count(asked)})`);
    })));
    this.list.show(this.found);
    $("panes").classList.remove("reading");
  }

  paint(entry, place) {
    const { core, settings, outcomes, texts } = this.data;
    const value = (column) => core.head.values[column][core.columns[column][place]];
    const line = el("span", { class: "q", dir: "auto", lang: tag(value("language")) }, "…");
    const country = value("country");
    entry.append(line, el("span", { class: "m" },
      ...core.head.passes.slice(0, 6).map((pass, at) => mark(outcomes[at][place])),
      core.head.passes.length > 6 ? `+${core.head.passes.length - 6}` : "",
      el("span", {}, value("subtemplate")), el("span", {}, value("format")),
      core.head.values.language.length > 1 ? el("span", {}, value("language")) : "",
      country ? el("bdi", {}, settings.labels.country?.[country] || country) : ""));
    entry.setAttribute("aria-label", "…");
    texts.at(place).then((text) => {
      line.textContent = text.question;
      const ended = core.head.passes.slice(0, 6).map((pass, at) => `${pass.label}: ${OUTCOMES[outcomes[at][place]][0]}`);
      entry.setAttribute("aria-label", [text.question, ...ended].join(". "));
    });
  }

  open(place, read) {
    this.place = place;
    if (read) $("panes").classList.add("reading");
    return this.detail.show(place, read);
  }

  // From the item: 0 back to the list, else to the next or previous one.
  move(step, place) {
    if (!step) {
      $("panes").classList.remove("reading");
      this.list.redraw();
      $("list").focus();
      return;
    }
    const at = this.list.at >= 0 ? this.list.at : this.found.indexOf(place);
    this.list.choose(at + step, true);
  }

  // From a link: `#item/ID/LANGUAGE`.
  async item(id, language) {
    await this.data.texts.all();
    const { core, texts } = this.data;
    const places = texts.ids.get(id) || [];
    const code = core.head.values.language.indexOf(language);
    const place = places.find((one) => core.columns.language[one] === code) ?? places[0];
    if (place === undefined) {
      $("found").textContent = `${id} is not among the items of this page.`;
      return;
    }
    if (!this.found.includes(place)) this.clear();
    this.list.choose(this.found.indexOf(place), true);
  }

  // From a link: `#questions/family=A&outcome=1`; values as they are stored.
  query(text) {
    const { core, settings } = this.data;
    const filter = { fields: {}, pass: this.filter.pass, other: this.filter.other };
    for (const [name, value] of new URLSearchParams(text)) {
      if (settings.filters.includes(name)) {
        const code = core.head.values[name].indexOf(value);
        if (code >= 0) filter.fields[name] = code;
      } else if (name === "condition") {
        const at = core.head.passes.findIndex((pass) => pass.condition === value);
        if (at >= 0) filter.pass = at;
      } else if (["pass", "outcome", "status", "other", "otherOutcome", "premise", "diagnosis"].includes(name)) {
        filter[name] = Number(value);
      }
    }
    $("search").value = "";
    this.filter = filter;
    this.apply();
  }

  // The questions at a place of the map.
  only(places) {
    this.filter = { fields: {}, pass: this.filter.pass, other: this.filter.other, only: new Set(places) };
    this.apply();
  }
}
