/**
 * Starts to load the images of the page that the reader has not scrolled to, and returns all of them. Each keeps its size: while another
 * size loads, a browser shows and prints nothing in its place.
 */
export function loadLazyImages(): HTMLImageElement[] {
  const images = [...document.querySelectorAll<HTMLImageElement>('main img')]
  for (const image of images) image.loading = 'eager'
  return images
}
