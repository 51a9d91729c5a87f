"""The live monitor's JavaScript in headless Chromium, with a model that stands for Jupyter's.

    python tools/try_live_monitor.py FOLDER

Fails unless the page draws, answers the button and ends its listeners as it should. FOLDER gets
one picture a theme, to be looked at.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from make_pictures import BROWSERS, photograph, themed

import gpukit

MODULE = Path(gpukit.__file__).parent / "monitor" / "live.js"
SCRIPT = """
const listeners = {}, saved = [];
const model = {
  data: { state: STATE, running: true, views: 0 },
  get(key) { return this.data[key]; },
  set(key, value) {
    this.data[key] = value;
    (listeners["change:" + key] || []).forEach((f) => f());
  },
  save_changes() { saved.push([this.data.running, this.data.views]); },
  on(event, f) { (listeners[event] = listeners[event] || []).push(f); },
  off(event, f) { listeners[event] = listeners[event].filter((g) => g !== f); },
};
const el = document.querySelector("#el");
const end = widget.render({ model, el });
const text = (where) => el.querySelector(where).textContent;
const seen = {
  curves: el.querySelectorAll("svg[role=img][aria-label]").length,
  overlapping: [...el.querySelectorAll("figcaption")]
    .filter((each) => each.scrollWidth > each.clientWidth).length,
  marks: [...el.querySelectorAll(".mark")].map((each) => each.textContent),
};
el.querySelector("button").click();
seen.stopped = [model.data.running, text("[role=status]"), text("button")];
el.querySelector("button").click();
const other = structuredClone(STATE);
other.gpus[0].series.power.values = [0, null, 5, 10];
model.set("state", other);
seen.lines = el.querySelectorAll("section:first-child figure:last-child polyline").length;
model.set("state", { ...STATE, gpus: [], reason: "no driver <b>" });
seen.none = [text("[role=status]"), el.querySelector("button").hidden];
model.set("state", STATE);
const second = widget.render({ model, el: document.createElement("div") });
seen.views = [model.data.views];
second();
if (ENDS) end();
seen.views.push(model.data.views);
seen.listening = Object.values(listeners).map((each) => each.length);
document.querySelector("#seen").textContent = JSON.stringify(seen);
"""
EXPECTED = {
    "curves": 8,
    "overlapping": 0,
    "marks": ["simulated", "simulated"],
    "stopped": [False, "stopped", "Go on"],
    "lines": 2,
    "none": ["no driver <b>", True],
    "views": [2, 0],
    "listening": [0, 0],
}


def state() -> str:
    """What a short run on two simulated GPUs gives, as JSON."""
    with gpukit.simulate(2, "T4"), gpukit.monitor.live(0.05, points=60) as live:
        x = gpukit.ones(2048, 2048, device="cuda")
        for step in range(30):
            (x @ x if step % 10 < 5 else x).sum().item()
            time.sleep(0.05)
        return json.dumps(live.state())


def page(data: str, theme: str, *, ends: bool) -> str:
    """A notebook's output of that theme; files may not import modules, so the module is inline."""
    module = MODULE.read_text(encoding="utf-8").replace("export default", "const widget =")
    script = SCRIPT.replace("STATE", f"({data})").replace("ENDS", str(ends).lower())
    parts = '<div id="el"></div><pre id="seen" hidden></pre>'
    return str(themed(f'{parts}<script type="module">{module}{script}</script>', theme))


def main() -> int:
    """Compare what the page has done; write the pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print("No Chromium here: apt-get install chromium --no-install-recommends")
        return 1
    folder.mkdir(parents=True, exist_ok=True)
    data = state()
    source = folder / "live.html"
    source.write_text(page(data, "light", ends=True), encoding="utf-8")
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += ["--window-size=1000,800", "--virtual-time-budget=2000", source.resolve().as_uri()]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    found = re.search(r'id="seen"[^>]*>([^<]*)<', done.stdout)
    seen = json.loads(found[1].replace("&lt;", "<").replace("&gt;", ">")) if found else None
    for theme in ("light", "dark"):
        picture = photograph(browser, page(data, theme, ends=False))
        (folder / f"live-{theme}.png").write_bytes(picture)
    print("as expected" if seen == EXPECTED else f"seen {seen}\nexpected {EXPECTED}")
    return 0 if seen == EXPECTED else 1


if __name__ == "__main__":
    sys.exit(main())
