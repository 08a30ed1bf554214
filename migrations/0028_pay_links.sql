CREATE TABLE `gifts` (
	`id` text PRIMARY KEY NOT NULL,
	`order_id` text NOT NULL,
	`code` text NOT NULL,
	`recipient_name` text,
	`words` text,
	`created_at` integer NOT NULL,
	`redeemed_at` integer,
	`redeemed_by` text,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`redeemed_by`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `gifts_code` ON `gifts` (`code`);--> statement-breakpoint
CREATE UNIQUE INDEX `gifts_order` ON `gifts` (`order_id`);--> statement-breakpoint
CREATE INDEX `gifts_redeemed_by` ON `gifts` (`redeemed_by`);--> statement-breakpoint
CREATE TABLE `pay_links` (
	`order_id` text PRIMARY KEY NOT NULL,
	`token` text NOT NULL,
	`from_name` text NOT NULL,
	`shows_memorial` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	FOREIGN KEY (`order_id`) REFERENCES `orders`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pay_links_token` ON `pay_links` (`token`);--> statement-breakpoint
DROP INDEX `payments_open`;--> statement-breakpoint
DROP INDEX `payments_created`;--> statement-breakpoint
ALTER TABLE `payments` ADD `payer_name` text;--> statement-breakpoint
ALTER TABLE `payments` ADD `link_token` text;--> statement-breakpoint
ALTER TABLE `payments` ADD `payer_email` text;--> statement-breakpoint
ALTER TABLE `payments` ADD `thanks` text;--> statement-breakpoint
CREATE UNIQUE INDEX `payments_open` ON `payments` (`user_id`,coalesce(`target_memorial_id`, ''),coalesce(`payer_email`, '')) WHERE `status` = 'PENDING' and `provider` = 'stripe';--> statement-breakpoint
CREATE INDEX `payments_created` ON `payments` (`created_at`,`id`,`user_id`,`memorial_id`,`target_memorial_id`,`payer_email`);--> statement-breakpoint
CREATE INDEX `payments_payer` ON `payments` (`payer_email`) WHERE `payer_email` is not null;
