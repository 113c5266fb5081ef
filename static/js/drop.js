// Files to drop on a form. The server refuses a large one only after the upload.

const sizeOf = ({ size }) =>
  size < 1e5 ? `${Math.ceil(size / 1024)} kB` : `${(size / 2 ** 20).toFixed(1)} MB`;

document.addEventListener("change", ({ target: input }) => {
  const zone = input.closest(".drop");
  if (!zone) return;
  const [file] = input.files;
  const error = file?.size > zone.dataset.limit ? "This file is too large." : "";
  input.setCustomValidity(error);
  zone.querySelector("output").value = file ? `${sizeOf(file)}. ${error}` : "";
});

function drag(event) {
  const zone = event.target.closest?.(".drop");
  if (!zone) return;
  event.preventDefault();
  zone.classList.toggle("over", event.type === "dragover");
  const { files } = event.dataTransfer;
  if (event.type !== "drop" || files.length !== 1) return;
  const input = zone.querySelector("input");
  input.files = files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

for (const name of ["dragover", "dragleave", "drop"]) document.addEventListener(name, drag);
