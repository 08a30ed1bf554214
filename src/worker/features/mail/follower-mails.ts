import { renderMail, type RenderedMail } from '#worker/features/mail/render-mail.ts'

/** Mails to people who follow a memorial. They repeat nothing that strangers typed; the name is the family's, and their memorial is paid for. */

/** The question whether they want these mails. `url` leads to the button. */
export function followConfirmMail({ name, url }: { name: string; url: string }): RenderedMail {
  return renderMail({
    subject: 'Do you want emails about a memorial?',
    paragraphs: [
      `Someone (we hope it was you) asked for emails about the memorial of ${name}, and gave us this address.`,
      'If you want them, please press the button within seven days.',
    ],
    button: { label: 'Yes, write to me', url },
    notes: [
      'If it wasn’t you, you can ignore this email. We won’t write again unless somebody asks again, and we forget the address after seven days.',
    ],
  })
}

type Letter = {
  name: string
  /** Of the memorial. */
  url: string
  /** Where these mails end. */
  endUrl: string
  /** Everybody may see the memorial. */
  isPublic: boolean
}

/** What was added, as "3 photos". */
export function followDigestMail({ added, ...letter }: Letter & { added: string[] }): RenderedMail {
  return letterOf('New on a memorial', letter, [
    `This was added to the memorial of ${letter.name}:`,
    added.join('\n'),
  ])
}

/** One of the days that they chose. `dates`: of the life, as text. */
export function followDayMail({
  isBirthday,
  isPassing,
  dates,
  ...letter
}: Letter & { isBirthday: boolean; isPassing: boolean; dates: string }): RenderedMail {
  return letterOf('A day to remember', letter, [
    ...(isBirthday ? [`Today is the birthday of ${letter.name}.`] : []),
    ...(isPassing ? [`${letter.name} died on this day.`] : []),
    dates,
  ])
}

function letterOf(subject: string, { url, endUrl, isPublic }: Letter, paragraphs: string[]): RenderedMail {
  return renderMail({
    subject,
    paragraphs,
    button: { label: 'Open the memorial', url },
    notes: [
      ...(isPublic ? [] : ['If it doesn’t open, open it with the family’s invitation.']),
      `You asked for these emails. To stop them:\n${endUrl}`,
    ],
  })
}
