CREATE TABLE `paynow_attempts` (
	`payment_id` text PRIMARY KEY NOT NULL,
	`method` text NOT NULL,
	`phone` text,
	`poll_url` text,
	`paynow_reference` text,
	`browser_url` text,
	`instructions` text,
	`code` text,
	`code_expires` text,
	`otp_url` text,
	`last_status` text,
	`problem` text,
	`live_order_id` text,
	`live_until` integer NOT NULL,
	`checked_at` integer NOT NULL,
	`next_check_at` integer,
	FOREIGN KEY (`payment_id`) REFERENCES `payments`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `paynow_attempts_live` ON `paynow_attempts` (`live_order_id`);--> statement-breakpoint
CREATE INDEX `paynow_attempts_due` ON `paynow_attempts` (`next_check_at`) WHERE `next_check_at` is not null;