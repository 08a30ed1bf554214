import { useId, useState, type ReactNode } from 'react'
import { Button } from './button.tsx'

/**
 * A "More" button that shows and hides buttons beside it, for what nobody should press by accident. `of` completes its
 * name for screen readers: "More: photo added by Rudo".
 */
export function More({
  of,
  className,
  children,
}: {
  of: string
  className?: string | undefined
  children: ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <>
      <Button
        variant="quiet"
        className={className}
        aria-label={`More: ${of}`}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        More
      </Button>
      <span id={id} hidden={!isOpen}>
        {children}
      </span>
    </>
  )
}
