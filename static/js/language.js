// The texts of our scripts in the language of the page. The English text is the name of a message, so a
// page in English loads no catalogue. For another language, the head of the page has the module
// `languages/<code>.js`, which is made from `locale/` by `make messages` and runs before all others.

let catalogue = {};
let formOf = (number) => Number(number !== 1);

export function useCatalogue(texts, pluralForm) {
  catalogue = texts;
  formOf = pluralForm;
}

// `{name}` in the message stands for the value of that name.
export const text = (message, values = {}) => fill(catalogue[message] ?? message, values);

// The form for this number. `{number}` stands for it.
export function plural(one, many, number, values = {}) {
  const forms = catalogue[one] ?? [one, many];
  return fill(forms[formOf(number)] ?? many, { number, ...values });
}

const fill = (message, values) =>
  message.replaceAll(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
