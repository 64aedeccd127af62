// A list of which only the visible entries are in the document.

const ENTRY = 66; // height of an entry in CSS pixels; report.css says the same
const SPARE = 6;

class List {
  // paint(element, place) fills an entry; pick(place) is called when one is chosen.
  constructor(box, inner, paint, pick) {
    Object.assign(this, { box, inner, paint, pick, places: [], at: -1, shown: new Map() });
    box.addEventListener("scroll", () => this.later());
    box.addEventListener("keydown", (event) => this.key(event));
    inner.addEventListener("click", (event) => {
      const entry = event.target.closest(".entry");
      if (entry) this.choose(Number(entry.dataset.at), true);
    });
    new ResizeObserver(() => this.later()).observe(box);
  }

  show(places) {
    this.places = places;
    this.at = -1;
    this.inner.style.height = `${places.length * ENTRY}px`;
    this.box.scrollTop = 0;
    this.box.removeAttribute("aria-activedescendant");
    this.redraw();
  }

  redraw() {
    this.inner.replaceChildren();
    this.shown.clear();
    this.draw();
  }

  later() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  draw() {
    const first = Math.max(0, Math.floor(this.box.scrollTop / ENTRY) - SPARE);
    const last = Math.min(this.places.length, Math.ceil((this.box.scrollTop + this.box.clientHeight) / ENTRY) + SPARE);
    for (const [at, entry] of this.shown) {
      if (at < first || at >= last) {
        entry.remove();
        this.shown.delete(at);
      }
    }
    for (let at = first; at < last; at++) {
      if (this.shown.has(at)) continue;
      const entry = el("div", {
        class: "entry", role: "option", id: `entry-${at}`, "data-at": at, "aria-selected": String(at === this.at),
        "aria-setsize": this.places.length, "aria-posinset": at + 1, style: `top:${at * ENTRY}px`,
      });
      this.paint(entry, this.places[at]);
      this.shown.set(at, entry);
      this.inner.append(entry);
    }
  }

  choose(at, open) {
    if (!this.places.length) return;
    const target = Math.max(0, Math.min(this.places.length - 1, at));
    this.shown.get(this.at)?.setAttribute("aria-selected", "false");
    this.at = target;
    const top = target * ENTRY;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + ENTRY > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top + ENTRY - this.box.clientHeight;
    this.draw();
    this.shown.get(target)?.setAttribute("aria-selected", "true");
    this.box.setAttribute("aria-activedescendant", `entry-${target}`);
    this.pick(this.places[target], open);
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / ENTRY) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page };
    if (event.key in moves) this.choose(this.at + moves[event.key], false);
    else if (event.key === "Home") this.choose(0, false);
    else if (event.key === "End") this.choose(this.places.length - 1, false);
    else if (event.key === "Enter" || event.key === " ") this.choose(Math.max(0, this.at), true);
    else return;
    event.preventDefault();
  }
}
