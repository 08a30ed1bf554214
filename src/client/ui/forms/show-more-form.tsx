import type { ReactNode } from 'react'
import { Button } from '../button.tsx'

/**
 * A button that shows more of a list. Without a script it reloads the page with `name=value` in the address, at the
 * element with the id `target`. `room`: how many squares the list will get; `start-app.ts` reserves their space while
 * the app loads.
 */
export function ShowMoreForm({
  name,
  value,
  target,
  room,
  isBusy = false,
  onMore,
  children,
}: {
  name: string
  value: string
  target: string
  room?: number
  isBusy?: boolean
  onMore: () => void
  children: ReactNode
}) {
  return (
    <form
      method="get"
      action={`#${target}`}
      data-room={room}
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBusy) onMore()
      }}
    >
      <input type="hidden" name={name} value={value} />
      <Button type="submit" aria-disabled={isBusy}>
        {children}
      </Button>
    </form>
  )
}
