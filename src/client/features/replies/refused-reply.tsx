import { useContext } from 'react'
import { replyMessages } from '#shared/funeral/gathering-messages.ts'
import { PostedFormContext } from '#client/lib/server-rendering.ts'
import { Notice } from '#client/ui/notice.tsx'
import styles from './replies.module.css'

/** Why a form was refused that isn't on this page any more, and the words that were in it. `forms`: those that are. */
export function RefusedReply({ forms }: { forms: readonly string[] }) {
  const posted = useContext(PostedFormContext)
  if (!posted || forms.includes(posted.name)) return null
  const { words } = posted.values
  return (
    <Notice kind="error" title={replyMessages.refusedTitle}>
      <p>{posted.problem.text}</p>
      {words && (
        <>
          <p>{replyMessages.copyWords}</p>
          <p className={styles.words} dir="auto">
            {words}
          </p>
        </>
      )}
    </Notice>
  )
}
