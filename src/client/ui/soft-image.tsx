import type { ComponentProps } from 'react'
import { usePlaceholderSheet } from '#client/lib/placeholders.ts'
import styles from './soft-image.module.css'

/**
 * A picture that is there at once: `placeholder`, a data URI a few pixels wide, is drawn large and soft behind it until it has
 * come. Cut as the picture is (`object-fit: cover`, or whole with `fit="contain"`).
 */
export function SoftImage({
  placeholder,
  fit = 'cover',
  alt,
  className,
  ...image
}: Omit<ComponentProps<'img'>, 'style' | 'onLoad' | 'alt'> & {
  placeholder: string | null
  fit?: 'cover' | 'contain'
  alt: string
}) {
  const sheet = usePlaceholderSheet()
  const drawn = placeholder === null ? undefined : sheet?.add(placeholder)
  const isStyled = placeholder !== null && sheet === null
  return (
    <img
      {...image}
      alt={alt}
      className={[className, styles[fit], drawn].filter(Boolean).join(' ')}
      style={isStyled ? { backgroundImage: `url("${placeholder}")` } : undefined}
      onLoad={(event) => {
        // What is drawn on nothing (PNG, WebP) would let it shine through.
        event.currentTarget.style.backgroundImage = 'none'
      }}
    />
  )
}
