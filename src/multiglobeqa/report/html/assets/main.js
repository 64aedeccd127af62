// The page: one section at a time by the address's hash, then the browser and the maps once the data are read.

let browser = null;

function route() {
  const [name, ...rest] = location.hash.slice(1).split("/");
  const sections = [...document.querySelectorAll("main > section")];
  const target = name && $(name);
  const wanted = name === "item" ? $("questions") : sections.find((one) => target && one.contains(target)) || $("overview");
  for (const one of sections) one.hidden = one !== wanted;
  for (const link of document.querySelectorAll("nav a")) {
    if (link.getAttribute("href") === `#${wanted.id}`) {
      link.setAttribute("aria-current", "page");
      const row = link.parentElement;
      row.scrollLeft = Math.max(0, link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2);
    } else link.removeAttribute("aria-current");
  }
  if (browser && name === "item" && rest.length) browser.item(rest[0], rest[1]);
  else if (browser && name === "questions" && rest.length) browser.query(location.hash.slice(location.hash.indexOf("/") + 1));
  if (target && target !== wanted) target.scrollIntoView();
  else scrollTo(0, 0);
}

async function start() {
  document.documentElement.classList.add("tabs");
  addEventListener("hashchange", route);
  route();
  let map = null;
  startTheme(() => map?.draw());
  const [settings, core, atlas] = await Promise.all([json("settings"), frame("core"), json("atlas")]);
  const outcomes = core.head.passes.map((pass, at) => outcomesOf(core, settings, at));
  const texts = new Texts(settings.blocks.text, core.head.size);
  const data = { settings, core, outcomes, texts };
  browser = new Browser(data);
  map = new WorldMap(data, atlas, (places) => {
    location.hash = "#questions";
    browser.only(places);
  });
  new Versus(data);
  route();
  document.documentElement.dataset.ready = "yes";
  performance.mark("mgqa-ready");
}

start().catch((fault) => {
  $("broken").textContent = `The questions of this page cannot be read: ${fault.message}`;
  $("broken").hidden = false;
  throw fault;
});
