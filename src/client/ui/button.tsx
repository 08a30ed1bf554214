import type { ComponentProps } from 'react'
import { Link } from 'react-router-dom'
import styles from './button.module.css'

type Look = { look?: 'primary' | 'danger' | 'quiet'; wide?: boolean }

function classOf({ look, wide }: Look, more: string | undefined): string {
  return [styles['button'], look && styles[look], wide && styles['wide'], more].filter(Boolean).join(' ')
}

/** A button; `type` is "button" unless said otherwise, so that none submits a form by accident. */
export function Button({
  look,
  wide,
  className,
  type = 'button',
  ...props
}: ComponentProps<'button'> & Look) {
  return (
    <button
      {...props}
      type={type}
      className={classOf({ ...(look && { look }), ...(wide && { wide }) }, className)}
    />
  )
}

/** A link that looks like a button. */
export function ButtonLink({ look, wide, className, ...props }: ComponentProps<typeof Link> & Look) {
  return <Link {...props} className={classOf({ ...(look && { look }), ...(wide && { wide }) }, className)} />
}

/** The same for an address outside the app's own routes (downloads, other sites). */
export function ButtonAnchor({ look, wide, className, children, ...props }: ComponentProps<'a'> & Look) {
  return (
    <a {...props} className={classOf({ ...(look && { look }), ...(wide && { wide }) }, className)}>
      {children}
    </a>
  )
}
