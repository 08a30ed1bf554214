import { api } from '#shared/api.ts'
import { messages } from '#shared/messages.ts'
import { sendContactMessage } from '#worker/features/contact/contact.ts'
import { limitByIp } from '#worker/access/guards.ts'
import { route, type App } from '#worker/access/route.ts'

/** Mounts the contact form route. */
export function contactRoutes(app: App): void {
  route(app, api.contact, { limit: limitByIp('LIMIT_ACCOUNT_MAIL') }, async ({ ctx, body }) => {
    await sendContactMessage(ctx, body)
    return { message: messages.contact.sentText }
  })
}
