/** The only stored text that may go into CSS: an image data URI. */
const PICTURE = /^data:image\/[a-z]+;base64,[\w+/=]+$/u

/** The placeholders of a page being rendered, and the CSS rules that show them. */
export function placeholderSheet() {
  const placeholders = new Map<string, string>()
  return {
    add(placeholder: string): string {
      if (!PICTURE.test(placeholder)) return ''
      const name = placeholders.get(placeholder) ?? `soft-${placeholders.size}`
      placeholders.set(placeholder, name)
      return name
    },
    styles: () => [...placeholders].map(([uri, name]) => `.${name}{background-image:url("${uri}")}`).join(''),
  }
}
