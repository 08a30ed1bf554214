import { countsText } from '#shared/messages.ts'
import { dateTime, renderMail, type RenderedMail } from '#worker/features/mail/render-mail.ts'

/**
 * The mails of the product, one function each: plain data in, `{subject, text, html}` out. No subject names the person who
 * died, and a mail that may reach a stranger repeats nothing that another person typed.
 */

const NOT_YOU = 'If you did not ask for this, you can ignore this email. Nothing will happen.'

/** Says when somebody registered: opening the link elsewhere asks for a password, so a stranger's never counts. */
export function verifyMail(data: { url: string; createdAt: number; hours: number }): RenderedMail {
  return renderMail({
    subject: 'Please confirm your email address',
    paragraphs: [
      `Someone (we hope it was you) created an account with this address on ${dateTime(data.createdAt)}. Open the link below to confirm that the address is yours.`,
      'On the phone or computer where you created the account, you’re then done: sign in with the password you chose. On any other, we’ll ask for your name and a password.',
    ],
    button: { label: 'Confirm my address', url: data.url },
    notes: [
      `The link works for ${data.hours} hours.`,
      'If you didn’t create an account, you can ignore this email. Nobody can use the account without this link, and it is removed after 7 days.',
    ],
  })
}

/** Tells an address with an account that somebody tried to register it again. */
export function alreadyRegisteredMail(data: { loginUrl: string; forgotUrl: string }): RenderedMail {
  return renderMail({
    subject: 'You already have an account',
    paragraphs: [
      'Someone (we hope it was you) tried to create an account with this address. You already have one, and nothing about it was changed.',
      `If you’ve forgotten your password, you can choose a new one here:\n${data.forgotUrl}`,
    ],
    button: { label: 'Sign in', url: data.loginUrl },
    notes: [NOT_YOU],
  })
}

export function resetMail({ url, minutes }: { url: string; minutes: number }): RenderedMail {
  return renderMail({
    subject: 'Choose a new password',
    paragraphs: ['You can choose a new password for your account with the link below.'],
    button: { label: 'Choose a new password', url },
    notes: [
      `The link works once, within ${minutes >= 60 ? 'an hour' : `the next ${minutes} minutes`}.`,
      NOT_YOU,
    ],
  })
}

/** The notice that a password was changed, in case its owner did not do it. */
export function passwordChangedMail(data: {
  changedAt: number
  forgotUrl: string
  supportEmail: string
}): RenderedMail {
  return renderMail({
    subject: 'Your password was changed',
    paragraphs: [
      `The password of your account was changed on ${dateTime(data.changedAt)}. Every other device has been signed out.`,
      'If this was you, there is nothing to do.',
      'If it was not you, please choose a new password now.',
    ],
    button: { label: 'Choose a new password', url: data.forgotUrl },
    notes: [`If you need help, write to ${data.supportEmail}.`],
  })
}

/** A contact message to the support address. The queue consumer sets Reply-To to the sender. */
export function contactMail(data: {
  messageId: string
  email: string
  subject: string
  message: string
}): RenderedMail {
  return renderMail({
    subject: `Contact form: ${data.subject}`,
    heading: data.subject,
    paragraphs: [`From: ${data.email}`, data.message],
    notes: [`Message ${data.messageId}. Reply to answer the sender.`],
  })
}

/** The notice that a memorial was deleted, and until when the owner can restore it. */
export function memorialDeletedMail(data: {
  name: string
  restorableUntil: number
  dashboardUrl: string
  supportEmail: string
}): RenderedMail {
  return renderMail({
    subject: 'A memorial was deleted',
    paragraphs: [
      `The memorial for ${data.name} is deleted. Nobody can see it now.`,
      `You can bring it back, as it was, until ${dateTime(data.restorableUntil)}. After that it is gone for good.`,
    ],
    button: { label: 'Go to my memorials', url: data.dashboardUrl },
    notes: [`If you did not do this, write to ${data.supportEmail} soon.`],
  })
}

/** The notice to its owner that an admin removed a memorial. `reason` is the admin's own words; null for none. */
export function memorialRemovedMail(data: {
  name: string
  reason: string | null
  contactUrl: string
  supportEmail: string
}): RenderedMail {
  return renderMail({
    subject: 'A memorial was removed',
    paragraphs: [
      `Our team has removed the memorial for ${data.name}. For now nobody can see it, and its links and QR code don’t work.`,
      data.reason ?? 'If you’d like to know why, please ask us.',
      'Nothing is deleted: we keep everything in it. If you think this is a mistake, or want to change what is on the page, write to us. A person will read your message and answer.',
    ],
    button: { label: 'Write to us', url: data.contactUrl },
    notes: [`You can also write to ${data.supportEmail}.`],
  })
}

/** The notice to its owner that an admin restored it. */
export function memorialRestoredMail(data: {
  name: string
  dashboardUrl: string
  supportEmail: string
}): RenderedMail {
  return renderMail({
    subject: 'Your memorial is back',
    paragraphs: [
      `Our team had removed the memorial for ${data.name}. It is back as it was, for the same people as before.`,
    ],
    button: { label: 'Go to my memorials', url: data.dashboardUrl },
    notes: [`Questions? Write to ${data.supportEmail}.`],
  })
}

/** The notice that an unpaid memorial, which its owner no longer uses, will be removed, and how to keep it. */
export function draftEndingMail(data: {
  name: string
  removedOn: number
  memorialUrl: string
}): RenderedMail {
  return renderMail({
    subject: 'Your unfinished memorial will be removed',
    paragraphs: [
      `You started a memorial for ${data.name}. It is not paid for, and it has not been used for a while. We will remove it on ${dateTime(data.removedOn)}, with everything in it.`,
      'To keep it, open it before then. That is enough: you can take your time. Once it is paid for, it stays.',
    ],
    button: { label: 'Open the memorial', url: data.memorialUrl },
    notes: [
      'If you no longer need it, there is nothing to do. You can still bring it back for 30 days after it is removed.',
    ],
  })
}

/** The notice that such a memorial was removed, and until when the owner can restore it. */
export function draftRemovedMail(data: {
  name: string
  restorableUntil: number
  dashboardUrl: string
  supportEmail: string
}): RenderedMail {
  return renderMail({
    subject: 'Your unfinished memorial was removed',
    paragraphs: [
      `The memorial that you started for ${data.name} was not paid for and was not used for 90 days, so we have removed it.`,
      `You can bring it back, as it was, until ${dateTime(data.restorableUntil)}. After that it is gone for good.`,
    ],
    button: { label: 'Go to my memorials', url: data.dashboardUrl },
    notes: [`Questions? Write to ${data.supportEmail}.`],
  })
}

/** The notice that an account was deleted with its memorials, and how to restore it. */
export function accountDeletedMail(data: {
  memorials: number
  restorableUntil: number
  loginUrl: string
  supportEmail: string
}): RenderedMail {
  const also = [' ', ' and its memorial ', ' and its memorials '][Math.min(data.memorials, 2)]
  return renderMail({
    subject: 'Your account was deleted',
    paragraphs: [
      `Your account${also}${data.memorials === 0 ? 'is' : 'are'} deleted. Nobody can see any of it now.`,
      `If you change your mind, sign in before ${dateTime(data.restorableUntil)}. Everything then comes back as it was. After that it is gone for good.`,
      'Records of payments are kept without your name and address, because the law requires them.',
    ],
    button: { label: 'Sign in', url: data.loginUrl },
    notes: [`If you did not do this, sign in, choose a new password, and write to ${data.supportEmail}.`],
  })
}

/** Tells the owner that something waits. It repeats nothing that anybody has added: not everybody wants to read that unprepared. */
export function waitingMail(data: {
  name: string
  waiting: Record<'IMAGE' | 'VIDEO' | 'AUDIO' | 'comments' | 'mayHurt' | 'asking', number>
  total: number
  queueUrl: string
  unsubscribeUrl: string
}): RenderedMail {
  const { waiting, total } = data
  const isOne = total === 1
  const setAside = waiting.mayHurt === total ? (isOne ? 'It' : 'All of it') : `${waiting.mayHurt} of it`
  return renderMail({
    subject: 'Something waits for you to look at it',
    paragraphs: [
      ...(total > 0
        ? [
            `At the memorial for ${data.name}, ${countsText(waiting)} ${isOne ? 'waits' : 'wait'} for you. Nobody else sees ${isOne ? 'it' : 'them'} until you decide.`,
          ]
        : []),
      ...(waiting.asking > 0
        ? [
            `${waiting.asking === 1 ? '1 person asks' : `${waiting.asking} people ask`} to be let in to the memorial for ${data.name}.`,
          ]
        : []),
      ...(waiting.mayHurt > 0
        ? [`${setAside} may hurt to read, so we keep that apart. You can leave it for another day.`]
        : []),
    ],
    button: { label: 'Look at what waits', url: data.queueUrl },
    notes: [
      'This email holds nothing that anyone wrote or sent. Take your time: it all stays until you decide.',
      'You choose how often we write under “Messages from visitors” on the memorial’s page. To stop these emails, open this page:',
      data.unsubscribeUrl,
    ],
  })
}

/** The link by which a visitor takes their words back. It may reach a stranger, so it repeats nothing that was typed. */
export function visitorWordsMail({ url }: { url: string }): RenderedMail {
  return renderMail({
    subject: 'Your link to what you wrote',
    paragraphs: [
      'Someone (we hope it was you) left a message on a memorial and gave us this address. With the link below you can see what became of the message, and take it back, on any device and at any time.',
    ],
    button: { label: 'See my message', url },
    notes: [
      'Keep this email, and don’t pass it on: whoever has the link can take the message back.',
      'If you left no message, you can ignore this email. We won’t use your address for anything else.',
    ],
  })
}

/** The code by which a relative is known again on another phone. It may reach a stranger, so it names nobody. */
export function contributorCodeMail({ code, minutes }: { code: string; minutes: number }): RenderedMail {
  return renderMail({
    subject: `Your code is ${code}`,
    paragraphs: [
      'Someone (we hope it was you) opened a memorial on another phone or computer, and said that they’d added something before.',
      `Type this code there: ${code}`,
      `It works once, within ${minutes === 1 ? 'a minute' : `${minutes} minutes`}, and only in the browser that asked for it.`,
    ],
    notes: [
      'Don’t pass the code on: whoever asked for it could change what you added.',
      'If you didn’t ask for a code, you can ignore this email. Nothing has changed.',
    ],
  })
}
