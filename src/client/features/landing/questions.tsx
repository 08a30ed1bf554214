import type { ReactNode } from 'react'
import { Link } from 'react-router-dom'
import { CONTRIBUTOR_QUOTA, PRICE_TEXT } from '#shared/limits.ts'
import { links } from '#client/lib/links.ts'
import { useHashTarget } from '#client/lib/browser/window-hooks.ts'
import { Disclosure, Disclosures } from '#client/ui/disclosure.tsx'

const { images, video, audio } = CONTRIBUTOR_QUOTA

type Question = { id: string; question: string; answer: ReactNode }

/** The seven questions, each with an id that can be linked to. */
export const questions = {
  monthlyFee: {
    id: 'monthly-fee',
    question: 'Is there a monthly fee?',
    answer: (
      <p>
        No. You pay US{PRICE_TEXT} once for each memorial, and nothing after that. The family and friends who
        visit it or add to it never pay.
      </p>
    ),
  },
  plaque: {
    id: 'plaque',
    question: 'How long does the plaque last?',
    answer: (
      <>
        <p>
          A phone can usually still read the code when up to a quarter of it is scratched or worn. How long
          the plaque itself lasts depends on what it is made of and where it is.
        </p>
        <p>
          The address in the code never changes. If a plaque is damaged, you can have the same code made
          again. Download the plaque from the memorial and take it to any engraver, or ask us there what we
          would charge to make it and send it to you.
        </p>
      </>
    ),
  },
  app: {
    id: 'app',
    question: 'Do people need an app?',
    answer: (
      <p>
        No. A memorial opens in the browser of any phone or computer. To read the code on a gravestone, point
        the phone’s camera at it. To add a photo or a message, a relative opens your invitation link and gives
        a name. No account is needed.
      </p>
    ),
  },
  whatToAdd: {
    id: 'what-to-add',
    question: 'What can be added?',
    answer: (
      <>
        <p>
          A life story, photos, videos and voice recordings, the funeral services with a printed programme,
          the place of the grave, and messages in the guestbook.
        </p>
        <p>
          Each invited person can add up to {images.max} photos, one video of up to{' '}
          {video.maxDurationSec / 60} minutes and one recording of up to {audio.maxDurationSec / 60} minutes,
          and can write in the guestbook. There is no limit to how many people you invite.
        </p>
      </>
    ),
  },
  privacy: {
    id: 'privacy',
    question: 'Who can see the memorial?',
    answer: (
      <>
        <p>
          You decide, and you can change it at any time. <strong>Private:</strong> only you.{' '}
          <strong>Invite-only:</strong> people with your link can see it and add to it.{' '}
          <strong>Public:</strong> anyone with the public link can see it, and nobody can add to it.
        </p>
        <p>
          The place of the grave is shown to you alone, unless you choose to show it. Photos are shown without
          the location that a phone writes into them. Read more in the{' '}
          <Link to={links.privacy}>privacy policy</Link>.
        </p>
      </>
    ),
  },
  church: {
    id: 'church',
    question: 'Can we use it for a church service?',
    answer: (
      <p>
        Yes. There is no advertising on a memorial, and no religion is assumed. You can name the church
        service, the vigil, the burial or the <i lang="sn">nyaradzo</i> as your family does, add the printed
        programme as a PDF, and put the code on the order of service so that people can open the memorial on
        their phones.
      </p>
    ),
  },
  technology: {
    id: 'technology',
    question: 'What happens when technology changes?',
    answer: (
      <p>
        Keeping the memorial readable is our work, not yours. We keep every file as you sent it, and make new
        copies as phones and computers change. The address of the memorial, and so the code on the stone,
        stays the same.
      </p>
    ),
  },
} as const satisfies Record<string, Question>

/** An accordion of questions, one open at a time; the question in the URL's fragment starts open. */
export function QuestionList({ items }: { items: readonly Question[] }) {
  const target = useHashTarget()
  return (
    <Disclosures>
      {items.map(({ id, question, answer }) => (
        <Disclosure key={id} id={id} name="faq" open={target === id} title={question}>
          {answer}
        </Disclosure>
      ))}
    </Disclosures>
  )
}
