import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'

/** The hash with which the owner's screen of a memorial shows the first new thing. */
export const NEWS = 'new'
/** Element id of the list of what people reported. */
export const REPORTED = 'reported'

/**
 * Addresses of screens. Screens with a card form (`checkout`, `createMemorial`, `editMemorial`) must be opened as a
 * new document (`reloadDocument`, `location.assign`): only the policy of their own document allows the payment
 * script.
 */
export const links = {
  home: paths.home,
  dashboard: paths.dashboard,
  login: paths.login,
  register: paths.register,
  forgotPassword: paths.forgotPassword,
  printedCode: paths.printedCode,
  createMemorial: paths.createMemorial,
  contact: paths.contact,
  requestRemoval: paths.requestRemoval,
  report: (itemId: string) => `${paths.report}?item=${itemId}`,
  requestRemovalFrom: (slug: string) => `${paths.requestRemoval}?memorial=${slug}`,
  gift: paths.gift,
  faq: paths.faq,
  about: paths.about,
  terms: paths.terms,
  privacy: paths.privacy,
  admin: paths.admin,
  editMemorial: (id: string) => fillPath(paths.editMemorial, { id }),
  memorial: (id: string) => fillPath(paths.memorial, { id }),
  news: (id: string) => `${fillPath(paths.memorial, { id })}#${NEWS}`,
  invite: (token: string) => fillPath(paths.invite, { token }),
  plaque: (id: string) => fillPath(paths.plaque, { id }),
  publicMemorial: (slug: string) => fillPath(paths.publicMemorial, { slug }),
  replies: (id: string, invite?: string) =>
    `${fillPath(paths.replies, { id })}${invite ? `?invite=${encodeURIComponent(invite)}` : ''}`,
  visitorWords: (slug: string) => fillPath(paths.visitorWords, { slug }),
  checkout: (memorialId?: string) =>
    memorialId ? `${paths.checkout}?memorialId=${encodeURIComponent(memorialId)}` : paths.checkout,
  /** Where a payment leads to: its memorial, or the dashboard for a memorial that doesn't exist yet. */
  paid: (paymentId: string, memorialId: string | null) =>
    `${memorialId ? fillPath(paths.memorial, { id: memorialId }) : paths.dashboard}?payment=success&paymentId=${encodeURIComponent(paymentId)}`,
}

/** Navigation state for the contact form: what the previous screen has already written. */
export type ContactDraft = { subject: string; message: string }

export type MediaWidth = 320 | 480 | 640 | 1280 | 1920
/** For images that never fill the screen. */
export const SMALLER_WIDTHS: readonly MediaWidth[] = [320, 640, 1280]
export const PORTRAIT_WIDTHS: readonly MediaWidth[] = [320, 480, 640, 1280]

/** Path of a photo (`width`: its variant), video or recording. `invite`: a token, if no cookie grants access. */
export function mediaPath(mediaId: string, width?: MediaWidth, invite?: string): string {
  const query = new URLSearchParams({ ...(width && { w: String(width) }), ...(invite && { invite }) })
  const path = `/media/stream/${encodeURIComponent(mediaId)}`
  return query.size === 0 ? path : `${path}?${query}`
}

/** The `srcset` of an image in these widths. */
export function mediaSrcSet(mediaId: string, widths: readonly MediaWidth[], invite?: string): string {
  return widths.map((width) => `${mediaPath(mediaId, width, invite)} ${width}w`).join(', ')
}

/** Path of the QR code for a memorial's public address. */
export function codePath(slug: string): string {
  return `${links.publicMemorial(slug)}/code.svg`
}

/** Where WhatsApp offers to send `text` to one of the user's chats. */
export function whatsAppLink(text: string): string {
  return `https://wa.me/?text=${encodeURIComponent(text)}`
}

/** Addresses at which two social networks offer `text`, or only `link`, to others. Only for links that may be public. */
export function networkLinks(text: string, link: string): { name: string; href: string }[] {
  return [
    { name: 'WhatsApp', href: whatsAppLink(text) },
    { name: 'Facebook', href: `https://www.facebook.com/sharer/sharer.php?u=${encodeURIComponent(link)}` },
  ]
}
