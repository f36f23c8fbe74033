"""The corpus for agents: tools and resources of the Model Context Protocol, over standard input and output or over HTTP."""
