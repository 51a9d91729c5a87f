// The live monitor: curves of each GPU, drawn again when the model's "state" changes. No library.
const KINDS = [
  ["utilization", "#2f7fc1"],
  ["memory", "#b5651d"],
  ["temperature", "#c2456b"],
  ["power", "#3c8d55"],
];
const WIDTH = 200, HEIGHT = 48;
const STYLE = `
.gpukit-live{color:inherit;font:13px/1.4 system-ui,sans-serif;max-width:50em}
.gpukit-live section{margin:0 0 .8em}
.gpukit-live h4{font-size:1em;margin:0 0 .3em}
.gpukit-live .grid{display:grid;grid-template-columns:repeat(auto-fit,minmax(17em,1fr));gap:.4em 1em}
.gpukit-live figure{margin:0}
.gpukit-live figcaption{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 .5em;font-variant-numeric:tabular-nums;white-space:nowrap}
.gpukit-live svg{display:block;width:100%;height:3em}
.gpukit-live .frame{fill:none;stroke:currentColor;stroke-opacity:.35}
.gpukit-live .mark{border:1px solid currentColor;border-radius:3px;font-weight:normal;margin-left:.5em;padding:0 .4em}
.gpukit-live button{background:none;border:1px solid currentColor;border-radius:3px;color:inherit;cursor:pointer;font:inherit;padding:.1em .7em}
.gpukit-live button:focus-visible{outline:2px solid currentColor;outline-offset:2px}`;
const SVG = "http://www.w3.org/2000/svg";

function node(name, text, attributes) {
  const made = document.createElement(name);
  if (text) made.textContent = text;
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  return made;
}

function shape(name, attributes) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// Lines through the values that are known; a gap where one is missing.
function runs(values, top, points) {
  const found = [];
  let run = [];
  values.forEach((value, index) => {
    if (value === null) {
      if (run.length) found.push(run);
      run = [];
      return;
    }
    const x = ((points - values.length + index) / Math.max(1, points - 1)) * WIDTH;
    const y = HEIGHT - 1 - (Math.min(value, top) / (top || 1)) * (HEIGHT - 2);
    run.push([x.toFixed(1), y.toFixed(1)]);
  });
  if (run.length) found.push(run);
  return found;
}

function curve(series, color, points) {
  const picture = shape("svg", {
    viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", role: "img",
    "aria-label": series.spoken,
  });
  for (const run of runs(series.values, series.top, points)) {
    const line = run.map((point) => point.join(",")).join(" ");
    const [first, last] = [run[0][0], run[run.length - 1][0]];
    picture.append(
      shape("polygon", { points: `${first},${HEIGHT} ${line} ${last},${HEIGHT}`, fill: color, "fill-opacity": 0.2 }),
      shape("polyline", { points: line, fill: "none", stroke: color, "stroke-width": 2, "vector-effect": "non-scaling-stroke" }),
    );
  }
  picture.append(shape("rect", { class: "frame", x: 0.5, y: 0.5, width: WIDTH - 1, height: HEIGHT - 1, "vector-effect": "non-scaling-stroke" }));
  return picture;
}

function card(gpu, state) {
  const part = node("section", "", { "aria-label": gpu.title });
  const head = node("h4", gpu.title);
  if (state.mark) head.append(node("span", state.mark, { class: "mark" }));
  const grid = node("div", "", { class: "grid" });
  for (const [kind, color] of KINDS) {
    const series = gpu.series[kind];
    const figure = node("figure");
    const caption = node("figcaption");
    caption.append(node("span", series.label), node("span", series.now));
    figure.append(caption, curve(series, color, state.points));
    grid.append(figure);
  }
  part.append(head, grid);
  return part;
}

function render({ model, el }) {
  const root = node("div", "", { class: "gpukit-live" });
  const cards = node("div");
  const foot = node("p");
  const button = node("button", "", { type: "button" });
  const note = node("span", "", { role: "status" });
  foot.append(button, " ", note);
  root.append(node("style", STYLE), cards, foot);
  el.append(root);
  const draw = () => {
    const state = model.get("state");
    cards.replaceChildren(...state.gpus.map((gpu) => card(gpu, state)));
    const running = model.get("running");
    button.textContent = running ? state.words.stop : state.words.start;
    button.hidden = !state.gpus.length;
    const text = state.gpus.length ? (running ? "" : state.words.stopped) : state.reason;
    if (note.textContent !== text) note.textContent = text;
  };
  const turn = () => {
    model.set("running", !model.get("running"));
    model.save_changes();
  };
  button.addEventListener("click", turn);
  model.on("change:state", draw);
  model.on("change:running", draw);
  model.set("views", (model.get("views") || 0) + 1);
  model.save_changes();
  draw();
  return () => {
    model.off("change:state", draw);
    model.off("change:running", draw);
    model.set("views", Math.max(0, model.get("views") - 1));
    model.save_changes();
  };
}

export default { render };
