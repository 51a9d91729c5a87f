"""What surrounds a tensor: limits of dtypes, text, transfers of whole structures."""
