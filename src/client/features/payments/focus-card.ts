/** Id of the element that contains the card field. */
export const CARD_ID = 'card-field'

/** Moves the focus to the card field, if it is on the page. */
export function focusCard(): void {
  document.getElementById(CARD_ID)?.focus()
}
