/** Opens what unfolds where the address points at it (`#privacy`): the browser itself only scrolls there. */
export function openTarget(): void {
  const open = () => {
    const target = document.querySelector('details:target')
    if (target instanceof HTMLDetailsElement) target.open = true
  }
  window.addEventListener('hashchange', open)
  open()
}
