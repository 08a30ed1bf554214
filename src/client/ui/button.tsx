import type { ComponentProps, PointerEvent, TouchEvent } from 'react'
import { Link } from 'react-router-dom'
import styles from './button.module.css'

type ButtonStyle = {
  variant?: 'primary' | 'danger' | 'quiet' | undefined
  wide?: boolean | undefined
  className?: string | undefined
}

function classOf({ variant, wide, className }: ButtonStyle): string {
  return [styles.button, variant && styles[variant], wide && styles.wide, className].filter(Boolean).join(' ')
}

/** How far a pressed pointer may move, in px, before it counts as dragged away to cancel the press. */
const DRAG_PX = 24
let pressedAt = { x: 0, y: 0 }

/**
 * Captures the mouse on press. Content that loads above can move the button between press and release; the browser
 * would then send the click to a common ancestor, and the press would be lost.
 */
function capturePress({ currentTarget, pointerId, pointerType, clientX, clientY }: PointerEvent) {
  pressedAt = { x: clientX, y: clientY }
  if (pointerType === 'touch') return
  currentTarget.setPointerCapture(pointerId)
}

function releaseDragged({ currentTarget, pointerId, clientX, clientY }: PointerEvent) {
  const isDragged = Math.hypot(clientX - pressedAt.x, clientY - pressedAt.y) > DRAG_PX
  if (isDragged && currentTarget.hasPointerCapture(pointerId)) currentTarget.releasePointerCapture(pointerId)
}

/** The same for a finger, whose click goes to what is under it when it lifts: that may have become something else. */
function clickWhereTouched(event: TouchEvent<HTMLButtonElement>) {
  const { currentTarget, changedTouches, cancelable } = event
  const finger = changedTouches[0]
  // Not cancelable: the finger has scrolled.
  if (!finger || !cancelable) return
  const isDragged = Math.hypot(finger.clientX - pressedAt.x, finger.clientY - pressedAt.y) > DRAG_PX
  if (isDragged || currentTarget.contains(document.elementFromPoint(finger.clientX, finger.clientY))) return
  event.preventDefault()
  currentTarget.click()
}

/**
 * A button. `type` defaults to "button", so that none submits a form by accident. While `isBusy`, clicks do nothing; it
 * isn't `disabled`, because that would lose the focus.
 */
export function Button({
  variant,
  wide,
  isBusy,
  className,
  type = 'button',
  onClick,
  ...props
}: ComponentProps<'button'> & ButtonStyle & { isBusy?: boolean }) {
  return (
    <button
      onPointerDown={capturePress}
      onPointerMove={releaseDragged}
      onTouchEnd={clickWhereTouched}
      {...(isBusy !== undefined && { 'aria-disabled': isBusy })}
      {...props}
      onClick={isBusy ? undefined : onClick}
      type={type}
      className={classOf({ variant, wide, className })}
    />
  )
}

/** A link that looks like a button. */
export function ButtonLink({
  variant,
  wide,
  className,
  ...props
}: ComponentProps<typeof Link> & ButtonStyle) {
  return <Link {...props} className={classOf({ variant, wide, className })} />
}

/** The `<summary>` of a `<details>` that looks like a button. The browser itself opens it. */
export function ButtonSummary({
  variant,
  wide,
  className,
  children,
  ...props
}: ComponentProps<'summary'> & ButtonStyle) {
  return (
    <summary data-plain {...props} className={classOf({ variant, wide, className })}>
      {children}
    </summary>
  )
}

/** The same for addresses outside the app's routes (downloads, other sites). */
export function ButtonAnchor({
  variant,
  wide,
  className,
  children,
  ...props
}: ComponentProps<'a'> & ButtonStyle) {
  return (
    <a {...props} className={classOf({ variant, wide, className })}>
      {children}
    </a>
  )
}
