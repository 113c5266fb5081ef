"""Mail: the SMTP server of EMAIL_URL, mails as files without it, and sending after a commit."""
