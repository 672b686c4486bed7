"use strict";
const form = document.getElementById("filters");
const rows = [...document.querySelectorAll("tbody tr")];
const devices = [...document.querySelectorAll(".device")];
const pods = [...document.querySelectorAll(".pod")];
const shown = form.querySelector("output");
form.hidden = false;

function filter() {
  const wanted = Object.fromEntries(new FormData(form));
  const attribute = wanted.attribute.trim().toLowerCase();
  const pod = wanted.pod.trim();
  let number = 0;
  for (const device of devices) {
    const users = device.dataset.pods ? device.dataset.pods.split(" ") : [];
    device.hidden = !(
      (!wanted.driver || device.dataset.driver === wanted.driver) &&
      (!wanted.state || device.dataset.state.split(" ").includes(wanted.state)) &&
      (!pod || users.some((user) => user.includes(pod))) &&
      (!attribute || device.querySelector("dl").dataset.text.includes(attribute))
    );
    number += device.hidden ? 0 : 1;
  }
  const any = wanted.driver || wanted.state || pod || attribute;
  for (const row of rows) {
    for (const pool of row.querySelectorAll(".pool")) {
      pool.hidden = Boolean(any) && !pool.querySelector(".device:not([hidden])");
    }
    row.hidden = Boolean(any) && !row.querySelector(".device:not([hidden])");
  }
  for (const one of pods) one.hidden = Boolean(pod) && !one.dataset.pod.includes(pod);
  const nodes = rows.filter((row) => !row.hidden).length;
  shown.value = any ? number + (number === 1 ? " device in " : " devices in ") + nodes + (nodes === 1 ? " row" : " rows") : "";
}

for (const list of devices) {
  const text = list.querySelector("dl");
  const pairs = [...text.querySelectorAll("dt")].map((name) => name.textContent + ": " + name.nextElementSibling.textContent);
  text.dataset.text = pairs.join("\n").toLowerCase();
}

// One device of a row is in the order of the Tab key; the arrow keys go to the others.
for (const row of rows) {
  [...row.querySelectorAll("summary")].forEach((one, at) => { one.tabIndex = at ? -1 : 0; });
}
document.querySelector("table").addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: "down", ArrowUp: "up" }[event.key];
  const own = event.target.closest("summary");
  if (!step || !own) return;
  const row = own.closest("tr");
  let goal;
  if (typeof step === "number") {
    const all = [...document.querySelectorAll(".device:not([hidden]) > summary")];
    goal = all[all.indexOf(own) + step];
  } else {
    const visible = rows.filter((each) => !each.hidden && each.querySelector(".device:not([hidden])"));
    const next = visible[visible.indexOf(row) + (step === "down" ? 1 : -1)];
    goal = next && next.querySelector(".device:not([hidden]) > summary");
  }
  if (!goal) return;
  event.preventDefault();
  goal.focus();
});

for (const [name, value] of new URLSearchParams(location.hash.slice(1))) {
  if (form.elements[name]) form.elements[name].value = value;
}
form.addEventListener("input", filter);
form.addEventListener("reset", () => setTimeout(filter));
form.addEventListener("submit", (event) => event.preventDefault());
filter();
