/**
 * Notes the fields of a page's forms. Where the page is older than its data, React makes parts of it anew, and the fields are
 * empty. The returned function, called then, hands them what somebody had typed or chosen.
 */
export function noteFields(root: HTMLElement): () => void {
  const fields = [...root.querySelectorAll<HTMLInputElement>('form[id] [name]')]
  return () => {
    for (const { isConnected, form, name, type, value, checked } of fields) {
      const now = form && document.forms.namedItem(form.id)?.elements.namedItem(name)
      // A list of radio buttons takes a value, too.
      if (!isConnected && now && (type !== 'radio' || checked)) Object.assign(now, { value, checked })
    }
  }
}
