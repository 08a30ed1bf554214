import { formatDate } from '#client/lib/dates.ts'
import { Button } from '#client/ui/button.tsx'
import styles from './action-list.module.css'

type Props = {
  /** Newest first. `at`: an instant. */
  actions: { id: string; text: string; at: string }[]
  onOlder: (() => void) | null
  isLoading: boolean
}

/** What people did, with the day. */
export function ActionList({ actions, onOlder, isLoading }: Props) {
  return (
    <>
      <ul className={styles.actions}>
        {actions.map(({ id, text, at }) => (
          <li key={id}>
            <bdi>{text}</bdi>
            <time className="small-muted" dateTime={at}>
              {formatDate(at)}
            </time>
          </li>
        ))}
      </ul>
      {onOlder && (
        <Button isBusy={isLoading} onClick={onOlder}>
          Show older
        </Button>
      )}
    </>
  )
}
