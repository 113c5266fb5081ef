// Files to drop on a form. The server refuses large ones only after the upload.

const sizeOf = (size) =>
  size < 1e5 ? `${Math.ceil(size / 1024)} kB` : `${(size / 2 ** 20).toFixed(1)} MB`;

document.addEventListener("change", ({ target: input }) => {
  const zone = input.closest(".drop");
  if (!zone) return;
  const files = [...input.files];
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const many = files.length > 1;
  let error = "";
  if (size > zone.dataset.limit) error = `${many ? "These files are" : "This file is"} too large.`;
  if (files.length > 100) error = "Choose at most 100 files, or a zip of them.";
  input.setCustomValidity(error);
  const count = many ? `${files.length} files, ` : "";
  zone.querySelector("output").value = files.length ? `${count}${sizeOf(size)}. ${error}` : "";
});

function drag(event) {
  const zone = event.target.closest?.(".drop");
  if (!zone) return;
  event.preventDefault();
  zone.classList.toggle("over", event.type === "dragover");
  const { files } = event.dataTransfer;
  const input = zone.querySelector("input");
  if (event.type !== "drop" || !files.length || (files.length > 1 && !input.multiple)) return;
  input.files = files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
}

for (const name of ["dragover", "dragleave", "drop"]) document.addEventListener(name, drag);
