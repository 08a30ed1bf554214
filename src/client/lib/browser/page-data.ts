import { PAGE_DATA } from '../offline/cache-names.ts'

let brought: string | null = null

/** The data that this page brought, as JSON; null if none. Leaves them out of the document, where they would outlast a sign-out. */
export function takePageData(): string | null {
  const element = document.getElementById(PAGE_DATA)
  if (element) brought = element.textContent
  element?.remove()
  return brought
}
