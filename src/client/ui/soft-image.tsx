import type { ComponentProps } from 'react'
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
  return (
    <img
      {...image}
      alt={alt}
      className={`${className ?? ''} ${styles[fit]}`}
      style={placeholder === null ? undefined : { backgroundImage: `url("${placeholder}")` }}
      onLoad={(event) => {
        // What is drawn on nothing (PNG, WebP) would let it shine through.
        event.currentTarget.style.backgroundImage = 'none'
      }}
    />
  )
}
