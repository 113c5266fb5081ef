// The headings of Swagger UI skip a level, and its introduction is in no landmark. Both are put right
// as they are added.

const page = document.getElementById("swagger-ui");

new MutationObserver(() => {
  for (const heading of page.querySelectorAll(":is(h3, h4, h5):not([role])")) {
    heading.setAttribute("role", "heading");
    heading.setAttribute("aria-level", heading.tagName[1] - 1);
  }
  const introduction = page.querySelector(".information-container");
  introduction?.setAttribute("role", "region");
  introduction?.setAttribute("aria-label", "Introduction");
}).observe(page, { childList: true, subtree: true });
