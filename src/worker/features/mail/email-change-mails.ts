import { dateTime, renderMail, type RenderedMail } from '#worker/features/mail/render-mail.ts'

/** Asks the new address. It may be a stranger's, so nothing of the account is in it. */
export function emailChangeNewMail({ url, hours }: { url: string; hours: number }): RenderedMail {
  return renderMail({
    subject: 'Please confirm your new email address',
    paragraphs: [
      'Someone (we hope it was you) wants to use this address for their account. Open the link below and press the button to confirm that the address is yours.',
      'The old address gets an email, too. The address changes once both are confirmed.',
    ],
    button: { label: 'Confirm my address', url },
    notes: [
      `The link works for ${hours} hours.`,
      'If you didn’t ask for this, you can ignore this email. This address then stays unused.',
    ],
  })
}

/** Tells the new address, which has an account. The one who asked can't see that it has. */
export function emailChangeTakenMail(data: { loginUrl: string; forgotUrl: string }): RenderedMail {
  return renderMail({
    subject: 'This address has an account',
    paragraphs: [
      'Someone (we hope it was you) asked to use this address for another account. You already have an account with it, and nothing about it was changed.',
      'To use the address for the other account, please sign in to this one first and give it another address, or delete it.',
      `If you’ve forgotten your password, you can choose a new one here:\n${data.forgotUrl}`,
    ],
    button: { label: 'Sign in', url: data.loginUrl },
    notes: ['If you did not ask for this, you can ignore this email. Nothing will happen.'],
  })
}

/** Asks the old address, and says what to do if it wasn't its owner. */
export function emailChangeOldMail(data: {
  newEmail: string
  url: string
  hours: number
  forgotUrl: string
}): RenderedMail {
  return renderMail({
    subject: 'Is your email address changing?',
    paragraphs: [
      `Someone (we hope it was you) asked to change the address of your account to ${data.newEmail}. Open the link below and press the button if that’s right.`,
      'The new address gets an email, too. The address changes once both are confirmed.',
      `If it wasn’t you, somebody knows your password. Don’t open the link; choose a new password here, which stops the change:\n${data.forgotUrl}`,
    ],
    button: { label: 'Confirm the change', url: data.url },
    notes: [`The link works for ${data.hours} hours.`],
  })
}

/** Tells the old address that it was replaced, and how to undo that. */
export function emailChangedMail(data: {
  newEmail: string
  undoUrl: string
  undoUntil: number
  supportEmail: string
}): RenderedMail {
  return renderMail({
    subject: 'Your email address was changed',
    paragraphs: [
      `The address of your account is now ${data.newEmail}. We write there from now on.`,
      `If that isn’t right, you can undo it until ${dateTime(data.undoUntil)}: this address comes back, every device is signed out, and you choose a new password.`,
    ],
    button: { label: 'Undo the change', url: data.undoUrl },
    notes: [`If that doesn’t work, please write to ${data.supportEmail}.`],
  })
}

/** Tells the address that was the account's until the change was undone. */
export function emailChangeUndoneMail({ supportEmail }: { supportEmail: string }): RenderedMail {
  return renderMail({
    subject: 'The change of your email address was undone',
    paragraphs: [
      'Someone with the earlier address of the account has undone its change to this address. The account has its earlier address again, and every device is signed out.',
    ],
    notes: [`If that wasn’t you, please write to ${supportEmail}.`],
  })
}
