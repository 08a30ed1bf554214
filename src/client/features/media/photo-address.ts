import { pageParameters } from '#shared/pages.ts'

const PARAMETER = pageParameters.photo
/** In an address: `all`, or the cursor after which the photos begin. */
export const PHOTOS = pageParameters.photos

/** The address's search with this photo open, or with none. Everything else in it stays. */
export function photoSearch(search: string, id: string | null): string {
  const parameters = new URLSearchParams(search)
  if (id === null) parameters.delete(PARAMETER)
  else parameters.set(PARAMETER, id)
  return parameters.toString()
}

/** The photo that the address says is open, or null. */
export function photoIn(search: string): string | null {
  return new URLSearchParams(search).get(PARAMETER)
}

/** Element id of a photo's square in the grid. */
export function thumbId(id: string): string {
  return `photo-${id}`
}
