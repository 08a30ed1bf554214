/** Mailboxes of Google, which ignore dots. */
const GMAIL = new Set(['gmail.com', 'googlemail.com'])

/**
 * The mailbox that an address leads to, for limits only: without `+…`, and at Gmail without dots. Two accounts may share a
 * mailbox; mail still goes to the address as it was typed.
 */
export function mailboxKey(email: string): string {
  const at = email.lastIndexOf('@')
  const [local = ''] = email.slice(0, at).split('+')
  const domain = email.slice(at + 1)
  return GMAIL.has(domain) ? `${local.replaceAll('.', '')}@gmail.com` : `${local}@${domain}`
}
