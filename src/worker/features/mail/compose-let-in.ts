import { fillPath } from '#shared/fill-path.ts'
import { paths } from '#shared/pages/pages.ts'
import { letInToken } from '#worker/features/let-in/ask.ts'
import { findLetIn } from '#worker/features/let-in/decide.ts'
import { renderMail, type RenderedMail } from '#worker/features/mail/render-mail.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import { link } from '#worker/platform/links.ts'
import type { mails } from '#worker/schema/mail.table.ts'

/** The mail to whoever was let in; null once the family has ended that. It repeats nothing that the person typed: the address may be another's. */
export const letInMails = {
  async 'let-in'(ctx: Ctx, { subjectId }: typeof mails.$inferSelect): Promise<RenderedMail | null> {
    const found = await findLetIn(ctx, subjectId)
    if (!found) return null
    return renderMail({
      subject: 'The family lets you in',
      paragraphs: [
        `You asked to see the memorial for ${found.name}. The family lets you in: you can see it, and add photos and words of your own.`,
      ],
      button: {
        label: 'Open the memorial',
        url: link(ctx, fillPath(paths.letIn, { token: letInToken(ctx, subjectId) })),
      },
      notes: [
        'The link is yours, so please don’t pass it on: whoever opens it is in under your name, and you are out.',
        'If you didn’t ask, you can ignore this email. We won’t use your address for anything else.',
      ],
    })
  },
}
