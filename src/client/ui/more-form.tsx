import type { ReactNode } from 'react'
import { Button } from './button.tsx'

/**
 * A button that shows more of a list. Without a script it opens the page again with `value` under `name` in its address, at
 * the place `target` (an element's id). `room`: how many squares come into the list before it, for which `keepRoom` keeps room where
 * the app has to come first.
 */
export function MoreForm({
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
