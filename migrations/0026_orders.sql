CREATE TABLE `orders` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`target_memorial_id` text,
	`amount` integer NOT NULL,
	`currency` text NOT NULL,
	`created_at` integer NOT NULL,
	`settled_at` integer,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orders_open` ON `orders` (`user_id`,coalesce(`target_memorial_id`, '')) WHERE `settled_at` is null;--> statement-breakpoint
CREATE INDEX `orders_user` ON `orders` (`user_id`);--> statement-breakpoint
CREATE TABLE `payment_history` (
	`id` text PRIMARY KEY NOT NULL,
	`payment_id` text NOT NULL,
	`status` text NOT NULL,
	`at` integer NOT NULL,
	FOREIGN KEY (`payment_id`) REFERENCES `payments`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `payment_history_payment` ON `payment_history` (`payment_id`,`at`);--> statement-breakpoint
DROP INDEX `payments_open`;--> statement-breakpoint
ALTER TABLE `payments` ADD `order_id` text REFERENCES orders(id);--> statement-breakpoint
CREATE INDEX `payments_order` ON `payments` (`order_id`);--> statement-breakpoint
CREATE UNIQUE INDEX `payments_open` ON `payments` (`user_id`,coalesce(`target_memorial_id`, '')) WHERE `status` = 'PENDING' and `provider` = 'stripe';--> statement-breakpoint
INSERT INTO `orders` (`id`, `user_id`, `target_memorial_id`, `amount`, `currency`, `created_at`, `settled_at`)
SELECT 'ord_' || substr(`id`, 5), `user_id`, `target_memorial_id`, `amount`, `currency`, `created_at`,
  CASE `status` WHEN 'PENDING' THEN NULL ELSE coalesce(`paid_at`, `updated_at`) END
FROM `payments` WHERE `status` <> 'FAILED';--> statement-breakpoint
UPDATE `payments` SET `order_id` = 'ord_' || substr(`id`, 5) WHERE `status` <> 'FAILED';--> statement-breakpoint
INSERT INTO `payment_history` (`id`, `payment_id`, `status`, `at`)
SELECT `id` || ':PAID', `id`, 'PAID', `paid_at` FROM `payments` WHERE `paid_at` IS NOT NULL;--> statement-breakpoint
INSERT INTO `payment_history` (`id`, `payment_id`, `status`, `at`)
SELECT `id` || ':' || `status`, `id`, `status`, `updated_at` FROM `payments` WHERE `status` IN ('FAILED', 'REFUNDED', 'DISPUTED');
