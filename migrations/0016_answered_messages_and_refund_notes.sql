ALTER TABLE `contact_messages` ADD `is_answered` integer DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX `contact_messages_answered` ON `contact_messages` (`is_answered`,`created_at`,`id`);--> statement-breakpoint
ALTER TABLE `payments` ADD `refund_note` text;--> statement-breakpoint
CREATE INDEX `media_created` ON `media` (`created_at`);