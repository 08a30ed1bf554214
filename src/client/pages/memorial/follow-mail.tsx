import { useLocation, useSearchParams } from 'react-router-dom'
import { followMessages } from '#shared/memorials/follow-messages.ts'
import { paths } from '#shared/pages/pages.ts'
import { Button } from '#client/ui/button.tsx'
import { Page, PageTitle } from '#client/ui/page.tsx'

const END = paths.unfollow.replace(':token', '')

/** `/follow/:token` and `/unfollow/:token`: begins or ends mails about a memorial. The browser sends the form, with script or without. */
export default function FollowMailPage() {
  const { pathname } = useLocation()
  const [query] = useSearchParams()
  const { confirm, end } = followMessages
  const done = query.get('done')
  const words = pathname.startsWith(END) ? end : confirm
  const isOver = words === confirm && done === 'over'
  if (done !== null)
    return (
      <Page width="narrow">
        <PageTitle>{isOver ? confirm.overTitle : words.doneTitle}</PageTitle>
        <p>{isOver ? confirm.overText : words.doneText}</p>
      </Page>
    )
  return (
    <Page width="narrow">
      <PageTitle>{words.title}</PageTitle>
      <p>{words.text}</p>
      <form method="post" data-plain>
        <input type="hidden" name="List-Unsubscribe" value="One-Click" />
        <Button type="submit" variant="primary">
          {words.button}
        </Button>
      </form>
    </Page>
  )
}
