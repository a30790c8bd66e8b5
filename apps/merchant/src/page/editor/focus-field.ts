/** Brings a field of the form into view and puts the cursor there; false when it is not in the page. */
export function focusField(form: HTMLFormElement, field: string): boolean {
  const named = form.elements.namedItem(field);
  const radios = named instanceof RadioNodeList ? [...named] : [];
  const checked = radios.find((radio) => radio instanceof HTMLInputElement && radio.checked) ?? radios[0];
  const target = checked ?? named ?? form.querySelector(`[data-field="${CSS.escape(field)}"]`);
  if (!(target instanceof HTMLElement)) return false;
  target.focus();
  return true;
}
