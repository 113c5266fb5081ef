"""Guidelines: default texts, versions, and the pages that write them."""
