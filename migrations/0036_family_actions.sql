CREATE TABLE `family_actions` (
	`id` text PRIMARY KEY NOT NULL,
	`memorial_id` text NOT NULL,
	`user_id` text,
	`action` text NOT NULL,
	`day` integer NOT NULL,
	`times` integer NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`memorial_id`) REFERENCES `memorials`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`user_id`) REFERENCES `users`(`id`) ON UPDATE no action ON DELETE set null
);
--> statement-breakpoint
CREATE UNIQUE INDEX `family_actions_day` ON `family_actions` (`memorial_id`,`user_id`,`action`,`day`);--> statement-breakpoint
CREATE INDEX `family_actions_memorial` ON `family_actions` (`memorial_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `family_actions_created` ON `family_actions` (`created_at`);--> statement-breakpoint
CREATE INDEX `family_actions_user` ON `family_actions` (`user_id`);