CREATE TABLE `registrations` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`first_name` text NOT NULL,
	`last_name` text NOT NULL,
	`password_hash` text,
	`cookie_hash` text,
	`network` text,
	`token_hash` text NOT NULL,
	`mail_id` text NOT NULL,
	`expires_at` integer NOT NULL,
	`used_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `registrations_token` ON `registrations` (`token_hash`);--> statement-breakpoint
CREATE INDEX `registrations_user` ON `registrations` (`user_id`);--> statement-breakpoint
CREATE INDEX `registrations_mail` ON `registrations` (`mail_id`);--> statement-breakpoint
CREATE INDEX `registrations_expires` ON `registrations` (`expires_at`);--> statement-breakpoint
ALTER TABLE `account_tokens` ADD `nonce` text;--> statement-breakpoint
INSERT INTO `registrations` (`id`, `user_id`, `first_name`, `last_name`, `token_hash`, `mail_id`, `expires_at`, `used_at`, `created_at`)
SELECT 'reg_' || substr(`account_tokens`.`token_hash`, 1, 20), `users`.`id`, `users`.`first_name`, `users`.`last_name`, `account_tokens`.`token_hash`, '', `account_tokens`.`expires_at`, `account_tokens`.`used_at`, `account_tokens`.`created_at`
FROM `account_tokens` JOIN `users` ON `users`.`id` = `account_tokens`.`user_id` WHERE `account_tokens`.`kind` = 'VERIFY';
