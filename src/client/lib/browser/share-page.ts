/**
 * Shares the address in the link's `data-share`: by the device's own sharing, else by copying it, which the element after the
 * link then says. If neither works, follows the link, which leads to WhatsApp.
 */
export async function sharePage(link: HTMLAnchorElement): Promise<void> {
  const url = link.dataset['share'] ?? ''
  try {
    // Not every browser has it, and none has it on a page without https.
    const { share } = navigator as Partial<Navigator>
    if (share) {
      await navigator.share({ title: document.title, url })
      return
    }
    await navigator.clipboard.writeText(url)
    const status = link.nextElementSibling
    if (status) status.textContent = 'Link copied'
  } catch (error) {
    // The visitor closed it.
    if (error instanceof DOMException && error.name === 'AbortError') return
    window.location.assign(link.href)
  }
}
