// Fills in the short name from the name, until the person types a short name.

const name = document.getElementById("id_name");
const slug = document.getElementById("id_slug");
let own = slug.value !== "";

slug.addEventListener("input", () => {
  own = slug.value !== "";
});
name.addEventListener("input", () => {
  if (own) return;
  slug.value = name.value
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 60);
});
