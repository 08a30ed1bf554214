import { pageParameters } from '#shared/pages/pages.ts'

const PARAMETER = pageParameters.photo
/** Query parameter: `all`, or the cursor after which the photos start. */
export const PHOTOS = pageParameters.photos

/** The URL's search with this photo open, or none. Keeps all other parameters. */
export function photoSearch(search: string, id: string | null): string {
  const parameters = new URLSearchParams(search)
  if (id === null) parameters.delete(PARAMETER)
  else parameters.set(PARAMETER, id)
  return parameters.toString()
}

/** Id of the photo that the URL opens, or null. */
export function photoIn(search: string): string | null {
  return new URLSearchParams(search).get(PARAMETER)
}

/** Element id of a photo's square in the grid. */
export function thumbId(id: string): string {
  return `photo-${id}`
}
