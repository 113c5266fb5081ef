// Shows the parameters of the chosen strategy only. Without this script all are shown, each below
// its strategy, and only those of the chosen one count.

const strategies = document.getElementById("strategies");

function show() {
  for (const strategy of strategies.querySelectorAll(".strategy")) {
    const isSelected = strategy.querySelector("input[type=radio]").checked;
    strategy.querySelector(".parameters").hidden = !isSelected;
  }
}

if (strategies) {
  strategies.addEventListener("change", show);
  show();
}
