"""What is known of written strategies before they are used: their code, their play, their faults."""
