import { messages } from '#shared/messages.ts'
import { showToast } from '#client/lib/toast-store.ts'
import type { Purchase } from './pay-calls.ts'

type WithLink = Pick<Purchase, 'link'>

/** Says that it is paid. Only the owner's memorial opens by that. */
export function tellPaid({ link }: WithLink): void {
  const { successTitle, successText } = messages.payment
  showToast({ title: successTitle, ...(!link && { text: successText }) })
}

/** True for a refusal because nothing is left to pay with this purchase: paid already, or its link has ended. */
export function isOver({ link }: WithLink, code: string | null): boolean {
  return code === 'already_paid' || (link !== undefined && code === 'link_expired')
}

/** Says why nothing is left to pay. The page of a link says it itself. */
export function tellOver({ link }: WithLink, text: string): void {
  if (!link) showToast({ title: messages.payment.creditTitle, text })
}
