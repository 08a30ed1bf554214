import { link } from '#worker/platform/links.ts'
import { dateTime, renderMail, type RenderedMail } from '#worker/features/mail/render-mail.ts'
import type { Ctx } from '#worker/platform/ctx.ts'
import type { mails } from '#worker/schema/mail.table.ts'

type MailRow = typeof mails.$inferSelect
type Notice = { subject: string; happened: (at: string) => string; ifNot: string }

const SOMEBODY_ELSE =
  'If it wasn’t you, somebody else is in your account. Please choose a new password now, and press “Sign out everywhere and end invitations” on the last page: passkeys and printed codes then stop working, too.'

/** What changed in how an account is opened, and what to do if it wasn't its owner. */
const NOTICES = {
  'passkey-added': {
    subject: 'A passkey was added',
    happened: (at) => `A passkey was added to your account on ${at}. It signs in without your password.`,
    ifNot: SOMEBODY_ELSE,
  },
  'passkey-removed': {
    subject: 'A passkey was removed',
    happened: (at) => `A passkey was removed from your account on ${at}. It no longer signs in.`,
    ifNot: SOMEBODY_ELSE,
  },
  'printed-codes-made': {
    subject: 'New codes were printed',
    happened: (at) =>
      `Ten codes for your account were made on ${at}. Each signs in once, without your password. Earlier ones no longer work.`,
    ifNot: SOMEBODY_ELSE,
  },
  'printed-code-used': {
    subject: 'A printed code was used',
    happened: (at) =>
      `One of your printed codes was used on ${at}, to sign in with a new password or to change your email address. It can’t be used again.`,
    ifNot: SOMEBODY_ELSE,
  },
  'authenticator-added': {
    subject: 'An authenticator app was added',
    happened: (at) => `An authenticator app was added to your account on ${at}. Its codes open the console.`,
    ifNot: SOMEBODY_ELSE,
  },
  'authenticator-removed': {
    subject: 'The authenticator app was removed',
    happened: (at) => `The authenticator app of your account was removed on ${at}.`,
    ifNot: SOMEBODY_ELSE,
  },
} satisfies Record<string, Notice>

function noticeOf({ subject, happened, ifNot }: Notice) {
  return async (ctx: Ctx, { createdAt }: MailRow): Promise<RenderedMail> =>
    renderMail({
      subject,
      paragraphs: [happened(dateTime(createdAt)), 'If this was you, there is nothing to do.', ifNot],
      button: { label: 'Choose a new password', url: link(ctx, '/forgot-password') },
      notes: [`If you need help, write to ${ctx.env.SUPPORT_EMAIL}.`],
    })
}

export const passkeyMails = {
  'passkey-added': noticeOf(NOTICES['passkey-added']),
  'passkey-removed': noticeOf(NOTICES['passkey-removed']),
  'printed-codes-made': noticeOf(NOTICES['printed-codes-made']),
  'printed-code-used': noticeOf(NOTICES['printed-code-used']),
  'authenticator-added': noticeOf(NOTICES['authenticator-added']),
  'authenticator-removed': noticeOf(NOTICES['authenticator-removed']),
}
